# berth_module(name [PURE] [ROOMS ...] [DEPS ...] [SOURCES ...] [LIBS ...]): one module, one folder,
# one library.
#
# ROOMS are the folders of a module that has many files, from the ground up: a file includes its own
# room and those named before it. Above the call stands what each is for, `# room: sentence`, and
# beside this CMakeLists.txt no other file (tidy again). tools/rooms.py draws them.
#
# DEPS are the modules that this one may include, with all that those may include in turn. They
# are the layers of the system: tools/tidy.py reads these very lines and rejects an #include that
# they do not allow. Without SOURCES, every *.cc of the folder belongs to the module. Files named
# *_test.cc become its test, <name>_test, with no further mention. LIBS are libraries of others,
# out of cmake/Libraries.cmake, for the sources alone: no header of a module shows them. PURE
# forbids all ways of touching the world (tidy again).
function(berth_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "PURE" "" "ROOMS;DEPS;SOURCES;LIBS")
    berth_rooms(${name} ${arg_ROOMS})
    file(GLOB_RECURSE tests CONFIGURE_DEPENDS *_test.cc)
    if(NOT arg_SOURCES)
        file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS *.cc)
        list(FILTER arg_SOURCES EXCLUDE REGEX "_test\\.cc$")
    endif()
    if(NOT arg_SOURCES)  # Headers only; so that a first .cc does not change the kind of target.
        set(arg_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/headers_only.cc)
        file(CONFIGURE OUTPUT ${arg_SOURCES} CONTENT "// No sources yet.\n")
    endif()

    add_library(berth_${name} STATIC ${arg_SOURCES})
    add_library(berth::${name} ALIAS berth_${name})
    target_include_directories(berth_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(berth_${name} PRIVATE berth_options ${arg_LIBS})
    berth_link(berth_${name} PUBLIC ${arg_DEPS})
    berth_precompiled(berth_${name} std)

    if(arg_PURE AND BERTH_SANITIZE STREQUAL thread)
        set(tests)  # One thread runs all of it, as tidy proves: the thread sanitizer could say nothing.
    endif()
    if(tests)
        berth_test(${name}_test ${tests} LIBS berth::${name} ${arg_LIBS})
    endif()
endfunction()

# A room that has no folder is a slip of the pen, or was moved away.
function(berth_rooms name)
    foreach(room IN LISTS ARGN)
        if(NOT IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${room})
            message(FATAL_ERROR
                "berth_module(${name}): ROOMS names ${room}, and there is no such folder")
        endif()
    endforeach()
endfunction()

# Links the modules named. One whose folder is not there yet is passed over, and said to be.
function(berth_link target scope)
    foreach(module IN LISTS ARGN)
        if(EXISTS ${PROJECT_SOURCE_DIR}/berth/${module}/CMakeLists.txt
           AND module IN_LIST BERTH_MODULES)
            target_link_libraries(${target} ${scope} berth::${module})
        else()
            message(STATUS "${target}: module ${module} is not here, built without it")
        endif()
    endforeach()
endfunction()

# berth_test(name files... [LIBS ...]): a test program; each TEST in it is a test of ctest.
function(berth_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} berth_options GTest::gtest_main)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name} PROPERTIES BERTH_IS_TEST ON)
    # base_test needs no more than testing's headers, and so builds while all else is broken.
    if(TARGET berth_base AND NOT name STREQUAL base_test)
        berth_link(${name} PRIVATE testing)
    endif()
    berth_precompiled(${name} test)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
        PROPERTIES TIMEOUT ${BERTH_TEST_TIMEOUT})
endfunction()

# berth_app(name SOURCES ... [LIBS ...] [NAMES ...]): a program in BERTH_BIN_DIR. NAMES are further
# names of the same file, as hard links: tools compare /proc/PID/exe, which a symlink would fool.
function(berth_app name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;NAMES")
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} berth_options)
    berth_precompiled(${name} std)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${BERTH_BIN_DIR})
    foreach(other IN LISTS arg_NAMES)
        add_custom_command(TARGET ${name} POST_BUILD VERBATIM COMMAND
            ${CMAKE_COMMAND} -E create_hardlink $<TARGET_FILE:${name}> ${BERTH_BIN_DIR}/${other})
    endforeach()
    add_dependencies(programs ${name})
    install(TARGETS ${name})
endfunction()

# berth_bench(name files... [LIBS ...]): measurements with Google Benchmark. `./dev bench` runs all
# that lie in <build>/bench.
function(berth_bench name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} berth_options benchmark::benchmark)
    add_dependencies(benchmarks ${name})
    berth_precompiled(${name} std)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
    if(BERTH_SANITIZE)  # Nothing is measured there.
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# berth_fuzz(name files... [LIBS ...]): a libFuzzer target by the preset `asan`; by every other a test
# that tries the seeds and a few thousand inputs like them. Seeds lie in fuzz/corpus/<name>/.
function(berth_fuzz name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} berth_options)
    if(BERTH_FUZZ)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        add_dependencies(fuzzers ${name})
    else()
        target_sources(${name} PRIVATE try_seeds.cc)
        add_test(NAME ${name} COMMAND ${name} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()

# berth_policies(PRIORITY age size PLACEMENT best_fit ...): the rules that this build knows.
#
# Each name is a file policy/<kind>/<name>.cc that defines RuleDef<Rule> <kind>_<name>(). To add a
# rule, write that file and add its name to the list. Nothing else changes.
function(berth_policies)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "PRIORITY;ORDER;FAIRNESS;PLACEMENT;PREEMPTION")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/catalog.cc)
    set(catalog "// Generated by berth_policies(). Do not edit.\n")
    string(APPEND catalog "#include \"berth/policy/catalog.h\"\n\nnamespace berth {\n\n")
    berth_policy_table(priority priority_terms PriorityTerm ${arg_PRIORITY})
    berth_policy_table(order order_rules OrderRule ${arg_ORDER})
    berth_policy_table(fairness fairness_rules FairnessRule ${arg_FAIRNESS})
    berth_policy_table(placement placement_scores PlacementScore ${arg_PLACEMENT})
    berth_policy_table(preemption preemption_rules PreemptionRule ${arg_PREEMPTION})
    string(APPEND catalog "}  // namespace berth\n")
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/catalog.cc CONTENT "${catalog}" @ONLY)

    get_target_property(known berth_policy SOURCES)
    list(REMOVE_ITEM sources ${known})
    target_sources(berth_policy PRIVATE ${sources})
endfunction()

# One table of the catalogue. A kind that is not listed has none.
macro(berth_policy_table kind function type)
    if("${ARGN}" STREQUAL "")
    else()
        set(rows)
        foreach(rule ${ARGN})
            list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/${kind}/${rule}.cc)
            string(APPEND catalog "RuleDef<${type}> ${kind}_${rule}();\n")
            string(APPEND rows "        ${kind}_${rule}(),\n")
        endforeach()
        string(APPEND catalog
            "\nstd::span<const RuleDef<${type}>> ${function}() {\n"
            "    static const RuleDef<${type}> rules[] = {\n${rows}    };\n"
            "    return rules;\n}\n\n")
    endif()
endmacro()
