// StepListener: srun's side of a step's standard input and output. It takes the shepherds'
// connections and carries frames both ways until all nodes are done. Those of other hosts come by
// TLS, for which the step's token is the shared secret: so both ends are proved, and nobody else
// reads along.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/step_io.h"

namespace berth::slurm {

class StepListener {
public:
    // `host` is where shepherds of other hosts find us. Empty: there are none, and we listen on a
    // port of the loopback interface alone.
    static Result<StepListener> open(const std::string& host = {});
    StepListener(StepListener&&) noexcept;
    StepListener& operator=(StepListener&&) noexcept;
    ~StepListener();

    // Whether the nodes can find a host by this name or address: false where it means every host's
    // own (loopback, link-local).
    static bool is_found_at(std::string_view host);

    const std::string& address() const;  // "127.0.0.1:40123"
    const std::string& token() const;    // 128 random bits; a stranger's connection is closed.

    struct Events {
        // Output, task ends and what MPI servers say, with the index of the node.
        std::function<void(const StepFrame&, std::uint32_t node)> frame;
        std::function<void(int signal)> signal;  // INT, QUIT, TERM, HUP, USR1, USR2, WINCH.
        std::function<void()> tick;              // Every second.
        std::function<bool()> idle;              // After a silent second; false: give up.
        // Optional. Asked after each signal and at least every quarter of a second; true: give up.
        std::function<bool()> leaves;
    };
    // Runs until `nodes` shepherds have said that they are done. False: gave up before.
    bool run(std::size_t nodes, bool read_stdin, const Events& events);

    // The nodes of the step, by index, whose shepherds have not come yet …
    std::vector<std::uint32_t> not_come() const;
    // … and those whose shepherds are connected and not done.
    std::vector<std::uint32_t> connected() const;
    void tell_window(const TerminalSize& size);
    void send_to(std::uint32_t node, const std::string& frames);

private:
    struct State;
    explicit StepListener(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace berth::slurm
