#include "berth/slurmrest/yaml_writer.h"

#include <gtest/gtest.h>

namespace berth::slurmrest {
namespace {

TEST(YamlWriter, WritesBlocks) {
    std::string out;
    YamlWriter yaml(out);
    yaml.begin_object();
    yaml.key("jobs"), yaml.begin_array();
    for (const int id : {7, 8}) {
        yaml.begin_object();
        yaml.key("exit"), yaml.begin_object();
        yaml.key("code"), yaml.number(id);
        yaml.key("set"), yaml.boolean(true);
        yaml.end_object();
        yaml.key("name"), yaml.text("a: \"b\"\n#");
        yaml.key("flags"), yaml.begin_array(), yaml.end_array();
        yaml.key("nodes"), yaml.begin_array(), yaml.text("n1"), yaml.text("yes"), yaml.end_array();
        yaml.end_object();
    }
    yaml.begin_object(), yaml.end_object();
    yaml.begin_array(), yaml.number(1), yaml.end_array();
    yaml.end_array();
    yaml.key("no"), yaml.begin_object(), yaml.end_object();
    yaml.key("a b"), yaml.number(-1);
    yaml.end_object();
    const std::string job = R"(  - exit:
      code: 7
      set: true
    name: "a: \"b\"\n#"
    flags: []
    nodes:
      - "n1"
      - "yes"
)";
    std::string other = job;
    other.replace(other.find('7'), 1, "8");
    EXPECT_EQ(out, "jobs:\n" + job + other +
                       "  - {}\n"
                       "  -\n"
                       "    - 1\n"
                       "\"no\": {}\n"
                       "\"a b\": -1\n");
}

// A job's name may have them, and PyYAML refuses a document with one of them.
TEST(YamlWriter, EscapesWhatYamlForbids) {
    const std::pair<const char*, const char*> cases[] = {
        {"a\x7f"
         "b",
         R"("a\u007fb")"},
        {"\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0", "\"\\u0080\\u0085\\u009f\xc2\xa0\""},
        {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", "\"\\u2028\\u2029\xe2\x80\xaa\""},
        {"\xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd",
         "\"\\ufeff\\ufffe\\uffff\xef\xbf\xbd\""},
        {"\x01\t\xc3\xa9\xf0\x9f\x98\x80", "\"\\u0001\\t\xc3\xa9\xf0\x9f\x98\x80\""},
    };
    for (const auto& [text, written] : cases) {
        std::string out;
        YamlWriter yaml(out);
        yaml.begin_object();
        yaml.key("name"), yaml.text(text);
        yaml.key(text), yaml.number(1);
        yaml.end_object();
        EXPECT_EQ(out, "name: " + std::string(written) + "\n" + written + ": 1\n");
    }
}

TEST(YamlWriter, WritesAnEmptyDocument) {
    std::string out;
    YamlWriter yaml(out);
    yaml.begin_object(), yaml.end_object();
    EXPECT_EQ(out, "{}\n");
}

}  // namespace
}  // namespace berth::slurmrest
