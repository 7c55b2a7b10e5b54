// LauncherSession: the launcher's side of one connection with an agent, from the greeting until the
// agent is gone. A refusal of the gate is answered as a failure to start, and logged.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/launcher/gate.h"
#include "berth/launcher/protocol.h"

namespace berth {

struct LauncherPorts {
    LaunchGate& gate;
    Node& node;
    int node_events;  // A descriptor; readable when take_events() has something.
    std::function<std::vector<AgentEvent>()> take_events;
    std::function<void(const RunNodeProgram&)> start_program;
    // Stores the trusted keys of the controller (PEM).
    std::function<Status(const std::string& pem)> keep_keys;
    std::function<Time()> now;
};

class LauncherSession {
public:
    // The caller keeps ownership of `socket`.
    LauncherSession(int socket, LauncherPorts ports, LogSink& log);
    ~LauncherSession();
    LauncherSession(const LauncherSession&) = delete;
    LauncherSession& operator=(const LauncherSession&) = delete;

    void push(AgentEvent event);  // May be called from any thread.
    // May be called from any thread and from a signal handler. What the agent has already sent is
    // still carried out, nothing after it.
    void stop();

    // Runs until the agent goes or stop() is called; both return Done. Returns an error if the
    // agent violates the protocol, or if an admission cannot be written to disk.
    Status run(const Greeting& greeting);

private:
    Status read();
    Status wait();
    Status obey_all();
    bool is_unread() const;
    Status obey(const std::string& frame);
    Status configure(ConfigureNode action);
    void refuse(const HostAction& asked, const Error& why);
    void tell(const AgentEvent& event);
    void take_pushed();
    Status write();

    const int socket_;
    LauncherPorts ports_;
    LogSink& log_;
    Frames frames_;
    std::string out_;         // Not yet written.
    bool held_back_ = false;  // Frames have been read that are not yet carried out.
    bool gone_ = false;
    std::atomic<bool> stopping_ = false;
    int pushed_;  // An eventfd.
    std::mutex mutex_;
    std::vector<AgentEvent> from_threads_;
};

}  // namespace berth
