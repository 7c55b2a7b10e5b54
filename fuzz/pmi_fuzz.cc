// What MPI programs say to the server of their node, and servers to srun: two tasks of which each
// may say anything, and what comes of it given to all of the step's nodes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "berth/model/process_mapping.h"
#include "berth/mpi/exchange.h"
#include "berth/mpi/pmi_server.h"

namespace {

// A node whose exchange is with itself alone.
class Node {
public:
    void act(berth::PmiServer::Effects effects) {
        for (int turns = 0; effects.given && turns < 100; ++turns) {
            berth::StepFrameReader reader;
            reader.add(berth::encode_exchange(effects.given->first, {}, effects.given->second));
            effects = {};
            while (const auto frame = *reader.next()) {
                const auto outcome = srun_.take(0, *frame);
                if (!outcome.ok()) std::abort();  // What a server gives is always by the rules.
                if (*outcome) pass_on((*outcome)->frames, effects);
            }
        }
    }
    void say(std::size_t task, std::string_view bytes) {
        berth::PmiServer::Effects effects;
        server_.heard(task, bytes, effects);
        act(std::move(effects));
    }

private:
    void pass_on(const std::string& frames, berth::PmiServer::Effects& effects) {
        berth::StepFrameReader reader;
        reader.add(frames);
        std::string all;
        while (const auto frame = *reader.next()) {
            const auto part = *berth::read_exchange(*frame);
            all += part.bytes;
            if (part.last) server_.exchanged(part.key, all, effects);
        }
    }

    berth::PmiServer server_{{.kind = "pmi2",
                              .name = "7.0",
                              .tasks = 2,
                              .node_count = 1,
                              .nodes = "n1",
                              .mapping = "(vector,(0,1,2))",
                              .ranks = {0, 1}}};
    berth::Exchange srun_{1};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    Node node;
    // A byte says how much comes next, and its lowest bit from whom.
    for (std::string_view rest = text; !rest.empty();) {
        const auto head = static_cast<unsigned char>(rest.front());
        const std::string_view part = rest.substr(1, head);
        rest.remove_prefix(1 + part.size());
        node.say(head & 1U, part);
    }
    (void)berth::read_process_mapping(text, 64, 8);
    berth::Exchange exchange(3);
    berth::StepFrameReader reader;
    reader.add(text);
    for (std::uint32_t i = 0;; ++i) {
        const auto frame = reader.next();
        if (!frame.ok() || !*frame) break;
        (void)exchange.take(i % 4, **frame);
    }
    berth::PmiServer server({.name = "7.0", .tasks = 2, .mapping = "", .ranks = {0, 1}});
    berth::PmiServer::Effects effects;
    server.hung_up(0, effects);
    server.hung_up(1, effects);
    server.exchanged("pmi 0", text, effects);
    return 0;
}
