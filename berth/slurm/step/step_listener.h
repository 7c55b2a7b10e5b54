// StepListener: srun's side of a step's standard input and output. It accepts the shepherds'
// connections and carries frames both ways until all nodes are done. Shepherds on other hosts use
// TLS with the step's token as the shared secret, which authenticates both ends and encrypts the
// stream.
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
    // `host`: the name by which shepherds on other hosts find srun. Empty: there are none, and it
    // listens on the loopback interface only.
    static Result<StepListener> open(const std::string& host = {});
    StepListener(StepListener&&) noexcept;
    StepListener& operator=(StepListener&&) noexcept;
    ~StepListener();

    // Whether nodes can reach a host by this name or address: false for loopback and link-local
    // ones.
    static bool is_found_at(std::string_view host);

    const std::string& address() const;  // "127.0.0.1:40123"
    const std::string& token() const;    // 128 random bits; a connection without it is closed.

    struct Events {
        // Output, task ends and messages of MPI servers, with the index of the node.
        std::function<void(const StepFrame&, std::uint32_t node)> frame;
        std::function<void(int signal)> signal;  // INT, QUIT, TERM, HUP, USR1, USR2, WINCH.
        std::function<void()> tick;              // Every second.
        std::function<bool()> idle;              // After a second without frames; false: give up.
        // Optional. Asked after each signal and at least every quarter of a second; true: give up.
        std::function<bool()> leaves;
    };
    // Runs until `nodes` shepherds have reported that they are done. False: gave up before.
    bool run(std::size_t nodes, bool read_stdin, const Events& events);

    // The nodes of the step, by index, whose shepherds have not connected yet …
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
