# Precompiled headers: one for all modules, one more with GoogleTest for all tests.
#
# A source file must still include what it uses: tools/tidy.py looks for what these would hide.
if(NOT BERTH_PCH)
    function(berth_precompiled target kind)
    endfunction()
    return()
endif()

set(BERTH_STANDARD_HEADERS
    <algorithm> <array> <bit> <cerrno> <charconv> <chrono> <compare> <concepts> <cstddef> <cstdint>
    <cstdio> <cstdlib> <cstring> <deque> <functional> <iterator> <limits> <map> <memory> <numeric>
    <optional> <set> <span> <string> <string_view> <tuple> <type_traits> <utility> <variant>
    <vector>)

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fpch-preprocess)  # ccache needs it to know which header was used.
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "// Nothing of its own.\n")

add_library(berth_precompiled_std OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(berth_precompiled_std PRIVATE berth_options)
target_precompile_headers(berth_precompiled_std PRIVATE ${BERTH_STANDARD_HEADERS})

add_library(berth_precompiled_test OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(berth_precompiled_test PRIVATE berth_options GTest::gtest)
target_precompile_headers(berth_precompiled_test PRIVATE
    ${BERTH_STANDARD_HEADERS} <gtest/gtest.h>)

# berth_precompiled(target std|test): compile `target` with the header of that kind.
function(berth_precompiled target kind)
    target_precompile_headers(${target} REUSE_FROM berth_precompiled_${kind})
endfunction()
