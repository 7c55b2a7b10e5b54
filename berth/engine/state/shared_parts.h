// SharedParts: what many jobs have in common, each held once: requests and commands, lists of GRES
// within requests, owners, names. A user who submits the same a thousand times asks for the same a
// thousand times.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "berth/model/job.h"

namespace berth {

class SharedParts {
public:
    // Has this job hold what an equal one holds already.
    void share(JobSpec& spec);
    void share(Job& job);
    std::size_t size() const;

private:
    template <class T>
    struct Pool {
        std::map<std::uint64_t, Shared<T>> known;  // By hash; of two with one hash, the later.
        std::size_t sweep_at = 64;                 // Beyond so many, what no job holds goes.
        template <class Prepare>
        void share(Shared<T>& part, Prepare prepare);  // prepare(T&): of one that is new.
        void share(Shared<T>& part);
    };
    struct Texts {
        std::set<SharedText, std::less<>> known;
        std::size_t sweep_at = 64;
        void share(SharedText& text);
    };
    void share_parts(JobRequest& request);

    Pool<JobRequest> requests_;
    Pool<JobCommand> commands_;
    Pool<std::vector<GresRequest>> gres_;
    Pool<TopologyConstraint> nearness_;
    Pool<Owner> owners_;
    Texts texts_;
};

}  // namespace berth
