# How all of our code is compiled and linked.

# Debug information is line tables only: it halves objects and link time, and a third of the asan build.
# That build is the only one of type Debug; clang takes three times as long to optimise what it
# sanitizes.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

# berth_measured(module): -O3 where benches show that it earns its time.
function(berth_measured module)
    if(CMAKE_BUILD_TYPE STREQUAL Release)
        target_compile_options(berth_${module} PRIVATE -O3)
    endif()
endfunction()

# Of every target, since these must agree everywhere: a precompiled header is only taken by code
# compiled with the same options, and some libraries bring -pthread along.
add_compile_options(-pthread -fPIE -ffp-contract=off -fstack-protector-strong)
add_link_options(-pie -Wl,-z,relro,-z,now)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    # A machine with a GPU made since 2010 has this; without it, counting bits is a library call.
    set(BERTH_MARCH x86-64-v2 CACHE STRING "The oldest processor the programs run on")
    add_compile_options(-march=${BERTH_MARCH})
endif()
set(BERTH_TEST_TIMEOUT 300)  # Seconds, for each test.
if(BERTH_SANITIZE)
    set(BERTH_TEST_TIMEOUT 900)
    add_compile_options(-fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BERTH_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(BERTH_FUZZ)
    # What a fuzzer steers by costs a third of the time to compile: no fuzzer links a test.
    add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:BERTH_IS_TEST>>>:-fsanitize=fuzzer-no-link>)
endif()

# Most of the time goes into headers and templates that files have in common: a dozen files compiled
# as one cost little more than one. So what is in an anonymous namespace has a name that no other
# file of its target has. `./dev clang` parses each file by itself: it shows missing #includes.
set(CMAKE_UNITY_BUILD ${BERTH_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${BERTH_UNITY_FILES})

# Linked privately, so that it never reaches a dependency.
add_library(berth_options INTERFACE)
target_compile_options(berth_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough
    -Wno-missing-field-initializers  # What a designated initializer leaves out has its default.
    -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ 12 sees ghosts in std::string and std::optional once it inlines: GCC bugs 105329, 105562.
    target_compile_options(berth_options INTERFACE
        -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
        -Wno-error=maybe-uninitialized -Wno-error=invalid-pch -Wduplicated-cond -Wlogical-op)
    if(BERTH_UNITY)  # A private struct of a .cc is taken for one of a header.
        target_compile_options(berth_options INTERFACE -Wno-subobject-linkage)
    endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # clang blames us for what libstdc++ 12 does within std::stable_sort. g++ still looks.
    # And BERTH_ASSERT(!"what must not be") is meant.
    target_compile_options(berth_options INTERFACE
        -Wno-deprecated-declarations -Wno-string-conversion)
    if(BERTH_UNITY)  # A name of one file shadows that of another; g++ tells them apart.
        target_compile_options(berth_options INTERFACE -Wno-shadow)
    endif()
endif()

# The fastest linker at hand; Debian's own takes four times as long as lld. clang finds lld also under
# its own version's name, g++ only as ld.lld.
find_program(BERTH_MOLD mold)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    find_program(BERTH_LLD NAMES ld.lld ld.lld-19)
else()
    find_program(BERTH_LLD ld.lld)
endif()
if(BERTH_MOLD AND NOT BERTH_FUZZ)
    add_link_options(-fuse-ld=mold)
elseif(BERTH_LLD)
    add_link_options(-fuse-ld=lld)
endif()

# The sloppiness is what lets ccache see through precompiled headers; relative paths let build
# folders share what one of them compiled.
find_program(BERTH_CCACHE ccache)
if(BERTH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    foreach(language C CXX)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
            CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
            CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${BERTH_CCACHE})
    endforeach()
endif()

# What `--version` prints.
target_compile_definitions(berth_options INTERFACE BERTH_VERSION="${PROJECT_VERSION}")
