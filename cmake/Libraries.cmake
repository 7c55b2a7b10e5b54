# The libraries of others, found once and here: targets found in a subfolder are not seen by the
# programs that link it. docs/dependencies.md says what each is for.
#
# Only GoogleTest is needed by all. Whoever links a target that is missing here is told so by
# CMake; `./dev build` installs the package.
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
include(GoogleTest)

find_package(fmt QUIET)            # fmt::fmt
find_package(spdlog QUIET)         # spdlog::spdlog
find_package(yaml-cpp QUIET)       # berth::yaml
find_package(nlohmann_json QUIET)  # nlohmann_json::nlohmann_json
find_package(CLI11 QUIET)          # CLI11::CLI11
find_package(benchmark QUIET)      # benchmark::benchmark
find_package(SQLite3 QUIET)        # SQLite::SQLite3
find_package(PostgreSQL QUIET)     # PostgreSQL::PostgreSQL
find_package(OpenSSL QUIET)        # OpenSSL::SSL, OpenSSL::Crypto
find_package(Protobuf QUIET)       # protobuf::libprotobuf, protobuf::protoc
find_package(gRPC CONFIG QUIET)    # gRPC::grpc++, gRPC::grpc_cpp_plugin
find_package(Boost 1.74 QUIET)     # Boost::headers: Asio and Beast need no more
find_package(CURL QUIET)           # CURL::libcurl
find_package(PkgConfig QUIET)

# Its headers lie where pkg-config alone knows; its own flags would put a path into the program.
if(PkgConfig_FOUND)
    pkg_check_modules(PMIX QUIET pmix)
endif()
if(PMIX_FOUND)
    add_library(berth_lib_pmix INTERFACE)
    add_library(berth::pmix ALIAS berth_lib_pmix)
    target_link_libraries(berth_lib_pmix INTERFACE pmix)
    target_include_directories(berth_lib_pmix SYSTEM INTERFACE ${PMIX_INCLUDE_DIRS})
endif()

# berth_find_header(target header LIBRARIES ...): a library that brings no CMake file of its own.
function(berth_find_header target header)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES")
    find_path(BERTH_PATH_OF_${target} ${header})
    mark_as_advanced(BERTH_PATH_OF_${target})
    if(NOT BERTH_PATH_OF_${target})
        return()
    endif()
    add_library(berth_lib_${target} INTERFACE)
    add_library(berth::${target} ALIAS berth_lib_${target})
    target_link_libraries(berth_lib_${target} INTERFACE ${arg_LIBRARIES})
    if(NOT BERTH_PATH_OF_${target} STREQUAL /usr/include)
        target_include_directories(berth_lib_${target} SYSTEM INTERFACE
            ${BERTH_PATH_OF_${target}})
    endif()
endfunction()

berth_find_header(rapidjson rapidjson/writer.h)
berth_find_header(prometheus prometheus/registry.h LIBRARIES prometheus-cpp-core)
berth_find_header(jemalloc jemalloc/jemalloc.h LIBRARIES jemalloc)
berth_find_header(lz4 lz4.h LIBRARIES lz4)
berth_find_header(yaml yaml-cpp/yaml.h LIBRARIES yaml-cpp)
berth_find_header(rapidcheck rapidcheck.h LIBRARIES rapidcheck)
berth_find_header(hwloc hwloc.h LIBRARIES hwloc)
berth_find_header(bpf bpf/bpf.h LIBRARIES bpf)
berth_find_header(systemd systemd/sd-bus.h LIBRARIES systemd)
berth_find_header(munge munge.h LIBRARIES munge)
berth_find_header(jwt jwt.h LIBRARIES jwt)
berth_find_header(pam security/pam_appl.h LIBRARIES pam)
berth_find_header(lua lua5.4/lua.hpp LIBRARIES lua5.4)  # Included as lua5.4/lua.hpp.
