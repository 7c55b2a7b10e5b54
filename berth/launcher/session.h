// LauncherSession: a launcher's side of one connection with an agent, from the greeting until the
// agent is gone. What the gate refuses is answered as a failure to start, and logged.
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
    int node_events;  // A descriptor, readable when take_events has something.
    std::function<std::vector<AgentEvent>()> take_events;
    std::function<void(const RunNodeProgram&)> start_program;
    // The keys by which the controller is known from here on, as PEM: to be kept.
    std::function<Status(const std::string& pem)> keep_keys;
    std::function<Time()> now;
};

class LauncherSession {
public:
    // The socket stays its owner's.
    LauncherSession(int socket, LauncherPorts ports, LogSink& log);
    ~LauncherSession();
    LauncherSession(const LauncherSession&) = delete;
    LauncherSession& operator=(const LauncherSession&) = delete;

    void push(AgentEvent event);  // From any thread.
    // From any thread, and from a signal's handler: what the agent has said is still done, and
    // nothing after it.
    void stop();

    // Until the agent goes or stop(), which is no error, or it breaks the protocol, or what the
    // gate lets in cannot be written down, which are.
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
    bool held_back_ = false;  // Frames are here that are not obeyed yet.
    bool gone_ = false;
    std::atomic<bool> stopping_ = false;
    int pushed_;  // An eventfd.
    std::mutex mutex_;
    std::vector<AgentEvent> from_threads_;
};

}  // namespace berth
