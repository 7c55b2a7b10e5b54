#include "berth/api/json.h"

#include <gtest/gtest.h>

#include "berth/api/random_message_test.h"
#include "berth/testing/seeds.h"

namespace berth::api {
namespace {

template <class T>
void round_trip(Rng& rng) {
    T message{};
    RandomMessage(rng).fill(message);
    const std::string text = to_json(message);
    const Result<T> again = from_json<T>(text);
    ASSERT_TRUE(again.ok()) << again.error().message << "\n" << text;
    EXPECT_EQ(*again, message) << text;
}

TEST(Json, GivesBackEveryMessageAsItWas) {
    testing::for_each_seed(200, [](Rng& rng) {
#define BERTH_ROUND_TRIP(T) round_trip<T>(rng);
        BERTH_API_MESSAGES(BERTH_ROUND_TRIP)
#undef BERTH_ROUND_TRIP
    });
}

TEST(Json, OfASubmissionIsWhatTheDocumentationShows) {
    SubmitRequest request;
    request.spec.name = "train";
    request.spec.request.edit().nodes_min = 2;
    request.spec.request.edit().gpus_per_node = {{.name = "gpu", .type = "a100", .count = 8}};
    request.spec.request.edit().time_limit = std::chrono::minutes(30);
    request.spec.dependencies = {{.kind = DependencyKind::afterok, .job = JobId(12)}};
    request.spec.begin = from_seconds(1'800'000'000);
    const std::string text = to_json(request);
    for (const char* part :
         {R"("name":"train")", R"("nodes_min":2)",
          R"("gpus_per_node":[{"name":"gpu","type":"a100","count":8}])", R"("time_limit":1800)",
          R"({"kind":"afterok","job":12,"delay":0})", R"("begin":1800000000)"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text;
    }
    EXPECT_EQ(text.find("nodes_max"), std::string::npos) << "what is absent is left out";
}

TEST(Json, HoldsBytesThatAreNotUtf8) {
    SubmitRequest request;
    using namespace std::string_literals;
    request.payload.script = "#!/bin/sh\necho caf\xe9 \xc3\xa9 \xed\xb2\x80 \0 \"\\\n"s;
    const std::string text = to_json(request);
    EXPECT_NE(text.find(R"(caf\udce9 )"), std::string::npos) << text;
    EXPECT_EQ(from_json<SubmitRequest>(text)->payload.script, request.payload.script);
}

struct Refused {
    const char* text;
    const char* why;
};

TEST(Json, ReadsStrictlyAndSaysWhereItIsWrong) {
    const Refused cases[] = {
        {R"({"spec":{"request":{"nodes_mn":2}}})", "spec.request.nodes_mn is not a field"},
        {R"({"spec":{"name":"a","name":"b"}})", "spec.name is given twice"},
        {R"({"spec":{"request":{"nodes_min":"2"}}})",
         "spec.request.nodes_min must be a whole number from 0 to 4294967295, not \"2\""},
        {R"({"spec":{"request":{"nodes_min":-1}}})",
         "spec.request.nodes_min must be a whole number from 0 to 4294967295, not -1"},
        {R"({"spec":{"request":{"nodes_min":1.5}}})",
         "spec.request.nodes_min must be a whole number from 0 to 4294967295, not 1.5"},
        {R"({"spec":{"request":{"nodes_min":null}}})",
         "spec.request.nodes_min must be a whole number from 0 to 4294967295, not null"},
        {R"({"spec":{"request":{"gpus":[{"name":"gpu"},{"count":true}]}}})",
         "spec.request.gpus[1].count must be a whole number from -9223372036854775808 to "
         "9223372036854775807, not true"},
        {R"({"spec":{"dependencies":[{"kind":"afterwards"}]}})",
         "spec.dependencies[0].kind must be one of after, afterany, afterok, afternotok, "
         "aftercorr, singleton, not \"afterwards\""},
        {R"({"spec":{"begin":9223372036854775807}})",
         "spec.begin must be a number of seconds, not 9223372036854775807"},
        {R"({"payload":{"environment":"A=b"}})", "payload.environment must be a list, not \"A=b\""},
        {R"([])", "the body must be an object, not a list"},
        {R"({"spec":)", "not valid JSON at byte 8: Invalid value."},
        {R"({} {})",
         "not valid JSON at byte 3: The document root must not be followed by other values."},
        {R"({"spec":{"name":"\udc41"}})",
         "not valid JSON at byte 24: a lone surrogate that stands for no byte"},
        {"{\"spec\":{\"name\":\"\xff\"}}",
         "not valid JSON at byte 17: Invalid encoding in string."},
    };
    for (const Refused& one : cases) {
        const Result<SubmitRequest> read = from_json<SubmitRequest>(one.text);
        ASSERT_FALSE(read.ok()) << one.text;
        EXPECT_EQ(read.error().message, one.why) << one.text;
    }
}

TEST(Json, NullIsAbsentWhereAFieldMayBe) {
    const auto read = from_json<SubmitRequest>(R"({"spec":{"request":{"nodes_max":null}}})");
    EXPECT_EQ(read->spec.request->nodes_max, std::nullopt);
}

TEST(Json, OfANewerServerIsReadAllTheSame) {
    const char* const text = R"({"job":7,"new":[1]})";
    EXPECT_FALSE(from_json<SubmitReply>(text).ok());
    EXPECT_EQ(from_json<SubmitReply>(text, UnknownFields::passed_over)->job, JobId(7));
}

TEST(Json, KeepsWholeNumbersOf64Bits) {
    const Ping ping{.epoch = 0xffff'ffff'ffff'ffff, .sequence = 0x8000'0000'0000'0001};
    EXPECT_EQ(*from_json<Ping>(to_json(ping)), ping);
}

// One user's odd limit must not make the whole list of jobs unreadable for everybody.
TEST(Json, ReadsBackATimeWithoutAnEnd) {
    JobRow row;
    row.time_limit = Duration::max();
    row.request.time_limit = Duration::max();
    EXPECT_EQ(*from_json<JobRow>(to_json(row)), row);
}

TEST(Json, WritesOnlyTheFieldsThatAreWanted) {
    JobRow row{.id = JobId(7), .name = "a", .state = "RUNNING"};
    const auto choice = FieldChoice::of<JobRow>({"state", "id"});
    ASSERT_TRUE(choice.ok());
    std::string text;
    JsonWriter writer(text);
    write_json(writer, row, *choice);
    EXPECT_EQ(text, R"({"id":7,"state":"RUNNING"})");
    const auto wrong = FieldChoice::of<JobRow>({"stat"});
    ASSERT_FALSE(wrong.ok());
    EXPECT_TRUE(wrong.error().message.starts_with("stat is not a field; there are id, array_job"));
}

TEST(Json, WritesOfAFieldOnlyWhatIsWantedOfIt) {
    JobRow row{.id = JobId(7)};
    row.owner = {.uid = 5, .gid = 6, .user = "ada", .group = "staff"};
    const auto text_with = [&](const std::vector<std::string>& names) {
        const auto choice = FieldChoice::of<JobRow>(names);
        if (!choice.ok()) return choice.error().message;
        std::string text;
        JsonWriter writer(text);
        write_json(writer, row, *choice);
        return text;
    };
    EXPECT_EQ(text_with({"owner.user", "id"}), R"({"id":7,"owner":{"user":"ada"}})");
    EXPECT_EQ(text_with({"owner.user", "owner.gid"}), R"({"owner":{"gid":6,"user":"ada"}})");
    const std::string whole = R"({"owner":{"uid":5,"gid":6,"user":"ada","group":"staff"}})";
    EXPECT_EQ(text_with({"owner.user", "owner"}), whole);
    EXPECT_EQ(text_with({"owner", "owner.user"}), whole);
    EXPECT_TRUE(text_with({"owner.name"}).starts_with("name is not a field; there are uid"));
    EXPECT_TRUE(text_with({"id.user"}).starts_with("id.user is not a field"));
    EXPECT_TRUE(text_with({"owner."}).starts_with(" is not a field"));
}

}  // namespace
}  // namespace berth::api
