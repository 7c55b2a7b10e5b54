#include "berth/model/license.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Licenses, AreReadAsSlurmWritesThem) {
    struct Case {
        const char* text;
        const char* meant;  // Null: no list of licenses.
    };
    const Case cases[] = {
        {"matlab", "matlab:1"},
        {"matlab:2", "matlab:2"},
        {"matlab:2,ansys", "matlab:2,ansys:1"},
        {"matlab:2|ansys:3", "matlab:2|ansys:3"},
        {"matlab:0", "matlab:0"},
        {" a : 2 , b ", "a:2,b:1"},
        {"", nullptr},
        {"matlab:", nullptr},
        {"matlab:x", nullptr},
        {"matlab:-1", nullptr},
        {"matlab:2000000000", nullptr},
        {"a,a", nullptr},
        {"a,b|c", nullptr},
        {",a", nullptr},
        {"a b:1", nullptr},
    };
    for (const Case& one : cases) {
        const auto read = parse_licenses(one.text);
        ASSERT_EQ(read.has_value(), one.meant != nullptr) << one.text;
        if (!read) continue;
        EXPECT_EQ(to_text(*read), one.meant);
        EXPECT_EQ(parse_licenses(to_text(*read)), read);
    }
}

}  // namespace
}  // namespace berth
