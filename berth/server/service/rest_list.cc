#include "berth/server/service/rest_list.h"

#include "berth/api/json.h"
#include "berth/api/problem.h"
#include "berth/server/service/lists.h"
#include "berth/slurmrest/error_shape.h"
#include "berth/slurmrest/rest_routes.h"

namespace berth {
namespace {

using slurmrest::ShapeWriter;

class RestListBody : public BodyParts {
public:
    explicit RestListBody(RestList list) : list_(std::move(list)), json_(text_) {
        json_.begin();
        json_.begin_list(list_.name);
    }
    bool next(std::string& part) override {
        if (ended_) return false;
        while (text_.size() < kPartBytes && !ended_) {
            if (list_.put_next(json_)) continue;
            json_.end_list();
            if (list_.put_tail) list_.put_tail(json_);
            slurmrest::put_frame(json_, list_.meta, {}, list_.warnings);
            json_.end();
            ended_ = true;
        }
        part.clear();
        part.swap(text_);
        return true;
    }

private:
    RestList list_;
    std::string text_;
    ShapeWriter json_;
    bool ended_ = false;
};

}  // namespace

ApiResponse respond_list(RestList list) {
    return ApiResponse{.parts = std::make_unique<RestListBody>(std::move(list))};
}

slurmrest::Meta rest_meta(const Snapshot& snapshot, std::string_view target, const Principal& who) {
    const bool is_db = target.starts_with("/slurmdb/");
    return {.plugin_type = is_db ? "openapi/slurmdbd" : "openapi/slurmctld",
            .plugin_name = is_db ? "Slurm OpenAPI slurmdbd" : "Slurm OpenAPI slurmctld",
            .data_parser = std::string(slurmrest::data_parser_of(target)),
            .accounting_storage = {},
            .source = {},
            .user = who.user,
            .group = who.group,
            .command = {},
            .cluster = snapshot.spec->name};
}

ApiResponse problem_in_shape(const slurmrest::Meta& meta, ApiResponse response) {
    if (response.content_type != api::kProblemType) return response;
    const auto problem = api::from_json<api::Problem>(std::string_view(response.body));
    if (!problem.ok()) return response;  // It is our own.
    std::string text;
    ShapeWriter json(text);
    json.begin();
    slurmrest::put_frame(json, meta, {slurmrest::error_of(*problem)});
    json.end();
    response.content_type = "application/json";
    response.body = std::move(text);
    return response;
}

}  // namespace berth
