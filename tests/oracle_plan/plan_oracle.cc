// plan_oracle: says of small plans whether they are right, by trying everything. A program of its
// own that shares no line with Berth: it reads instances from its input, as numbers, and answers
// "ok" or the name of what is wrong for each.
//
//   instance NOW NODES HOW DEPTH SLACK SEATS
//                                         HOW 1: the plan was made from nothing, in this order;
//                                         0: it was kept, and nobody could start earlier; 2: it was
//                                         kept, and nobody could start at once;
//                                         what is promised for later is booked longer by SLACK;
//                                         SEATS: licenses, whatever the node
//   node GPUS CPUS                        GPUs are linked in fours
//   running END SEATS PARTS (NODE MASK CPUS)…
//   job ID NODES GPUS CPUS SEATS LIMIT STATE START END BEFORE PARTS (NODE MASK CPUS)…
//                                         STATE 0 waits, 1 planned, 2 started now; BEFORE: -1 or
//                                         what it was promised before
//   end
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

struct Node {
    int gpus = 0, cpus = 0;
};
struct Part {
    int node = 0;
    std::uint64_t mask = 0;
    int gpus = 0, cpus = 0;
};
struct Use {  // Of some nodes, from a time until another.
    long start = 0, end = 0;
    std::vector<Part> parts;
    int seats = 0;
};
struct Job {
    long id = 0;
    int nodes = 0, gpus = 0, cpus = 0, seats = 0;
    long limit = 0;
    int state = 0;
    long before = -1;
    Use use;
};

struct Instance {
    long now = 0, depth = 0, slack = 0, seats = 0;
    int how = 0;
    std::vector<Node> nodes;
    std::vector<Use> running;
    std::vector<Job> jobs;
};

int bits(std::uint64_t mask) { return __builtin_popcountll(mask); }

// ---- What is free, by looking at every use at every moment that counts.

bool has_room(const Instance& in, const std::vector<Use>& uses, int node, long start, long end,
              int gpus, int cpus) {
    std::vector<long> moments = {start};
    for (const Use& use : uses) {
        if (use.start > start && use.start < end) moments.push_back(use.start);
    }
    for (const long moment : moments) {
        int free_gpus = in.nodes[static_cast<std::size_t>(node)].gpus;
        int free_cpus = in.nodes[static_cast<std::size_t>(node)].cpus;
        for (const Use& use : uses) {
            if (use.start > moment || use.end <= moment) continue;
            for (const Part& part : use.parts) {
                if (part.node != node) continue;
                free_gpus -= part.gpus;
                free_cpus -= part.cpus;
            }
        }
        if (free_gpus < gpus || free_cpus < cpus) return false;
    }
    return true;
}

bool has_seats(const Instance& in, const std::vector<Use>& uses, long start, long end, int seats) {
    std::vector<long> moments = {start};
    for (const Use& use : uses) {
        if (use.start > start && use.start < end) moments.push_back(use.start);
    }
    return std::all_of(moments.begin(), moments.end(), [&](long moment) {
        long left = in.seats - seats;
        for (const Use& use : uses) {
            if (use.start <= moment && use.end > moment) left -= use.seats;
        }
        return left >= 0;
    });
}

bool could_start(const Instance& in, const std::vector<Use>& uses, const Job& job, long start) {
    int nodes = 0;
    const long end = start + job.limit + (start > in.now ? in.slack : 0);
    for (std::size_t n = 0; n < in.nodes.size(); ++n) {
        if (has_room(in, uses, static_cast<int>(n), start, end, job.gpus, job.cpus)) {
            ++nodes;
        }
    }
    const bool seated = job.seats == 0 || has_seats(in, uses, start, end, job.seats);
    return seated && nodes >= job.nodes;
}

// A start that is the earliest is now, or when something ends.
long earliest_start(const Instance& in, const std::vector<Use>& uses, const Job& job) {
    std::set<long> moments = {in.now};
    for (const Use& use : uses) {
        if (use.end > in.now) moments.insert(use.end);
    }
    for (const long moment : moments) {
        if (could_start(in, uses, job, moment)) return moment;
    }
    return -1;
}

// ---- What may be wrong.

std::string wrong_shape(const Instance& in, const Job& job) {
    if (job.state == 0) return "";
    std::set<int> nodes;
    for (const Part& part : job.use.parts) {
        nodes.insert(part.node);
        if (part.gpus != job.gpus || part.cpus != job.cpus) return "amount";
        if (job.state == 2 && bits(part.mask) != job.gpus) return "amount";
    }
    if (static_cast<int>(nodes.size()) != job.nodes) return "nodes";
    if (job.use.parts.size() != nodes.size()) return "nodes";
    if (job.use.start < in.now && job.state == 1) return "past";
    if (job.use.end - std::max(job.use.start, in.now) < job.limit) return "short";
    return "";
}

// Each use gets devices of its own for all of its time; those that have started have theirs.
std::string wrong_devices(const Instance& in, const std::vector<Use>& uses) {
    for (const Use& use : uses) {
        if (!has_seats(in, uses, use.start, use.end, 0)) return "overlap";
    }
    for (std::size_t n = 0; n < in.nodes.size(); ++n) {
        std::vector<long> free_from(static_cast<std::size_t>(in.nodes[n].gpus), -1);
        std::vector<std::pair<const Use*, const Part*>> here;
        for (const Use& use : uses) {
            for (const Part& part : use.parts) {
                if (part.node == static_cast<int>(n)) here.emplace_back(&use, &part);
            }
            if (!has_room(in, uses, static_cast<int>(n), use.start, use.end, 0, 0))
                return "overlap";
        }
        std::stable_sort(here.begin(), here.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second->mask == 0, a.first->start) <
                   std::pair(b.second->mask == 0, b.first->start);
        });
        for (const auto& [use, part] : here) {
            int wanted = part->gpus;
            for (std::size_t g = 0; g < free_from.size() && wanted > 0; ++g) {
                const bool named = ((part->mask >> g) & 1U) != 0;
                if (part->mask != 0 && !named) continue;
                if (free_from[g] > use->start) {
                    if (named) return "overlap";
                    continue;
                }
                free_from[g] = use->end;
                --wanted;
            }
            if (wanted > 0) return "overlap";
        }
    }
    return "";
}

// Up to four GPUs come from one four wherever one has so many free.
std::string wrong_links(const Instance& in) {
    std::vector<std::uint64_t> taken(in.nodes.size());
    const auto take = [&](const Use& use) {
        for (const Part& part : use.parts) taken[static_cast<std::size_t>(part.node)] |= part.mask;
    };
    for (const Use& use : in.running) take(use);
    for (const Job& job : in.jobs) {
        if (job.state != 2) continue;
        for (const Part& part : job.use.parts) {
            const auto n = static_cast<std::size_t>(part.node);
            bool there_was = false, is_one = false;
            for (int four = 0; four * 4 < in.nodes[n].gpus; ++four) {
                const std::uint64_t all = std::uint64_t{15} << (four * 4);
                if (bits(all & ~taken[n]) >= job.gpus) there_was = true;
                if ((part.mask & ~all) == 0) is_one = true;
            }
            if (job.gpus > 0 && job.gpus <= 4 && there_was && !is_one) return "clique";
        }
        take(job.use);
    }
    return "";
}

// Made from nothing: each job as early as those before it allow.
std::string wrong_order(const Instance& in) {
    std::vector<Use> uses = in.running;
    long blocked = 0;
    for (const Job& job : in.jobs) {
        const long earliest = earliest_start(in, uses, job);
        const bool may_plan = blocked < in.depth;
        if (job.state == 2 && earliest != in.now) return "delays";
        if (job.state == 1 && earliest < 0) return "delays";
        if (job.state == 1 && job.use.start > earliest) return "late";
        if (job.state == 1 && job.use.start < earliest) return "delays";
        if (job.state == 0 && earliest == in.now) return "late";
        if (job.state == 0 && may_plan && earliest >= 0) return "late";
        if (job.state == 1 && !may_plan) return "depth";
        if (job.state != 2) ++blocked;
        if (job.state != 0) uses.push_back(job.use);
    }
    return "";
}

// Kept: nobody later than promised, and nobody could start earlier (or at once), all others being
// where they are.
std::string wrong_keeping(const Instance& in) {
    for (const Job& job : in.jobs) {
        if (job.before >= 0 && job.state == 0) return "broken";
        if (job.before >= 0 && std::max(job.use.start, in.now) > std::max(job.before, in.now)) {
            return "broken";
        }
    }
    for (const Job& job : in.jobs) {
        if (job.state == 2) continue;
        std::vector<Use> uses = in.running;
        for (const Job& other : in.jobs) {
            if (other.id != job.id && other.state != 0) uses.push_back(other.use);
        }
        const long earliest = earliest_start(in, uses, job);
        const long last = in.how == 2 ? in.now : job.use.start - 1;
        if (job.state == 1 && earliest >= 0 && earliest <= last && earliest < job.use.start) {
            return "late";
        }
        if (job.state == 0 && earliest == in.now) return "late";
    }
    return "";
}

std::string judge(const Instance& in) {
    std::vector<Use> uses = in.running;
    for (const Job& job : in.jobs) {
        if (const std::string wrong = wrong_shape(in, job); !wrong.empty()) return wrong;
        if (job.state != 0) uses.push_back(job.use);
    }
    if (const std::string wrong = wrong_devices(in, uses); !wrong.empty()) return wrong;
    if (const std::string wrong = wrong_links(in); !wrong.empty()) return wrong;
    const std::string wrong = in.how == 1 ? wrong_order(in) : wrong_keeping(in);
    return wrong.empty() ? "ok" : wrong;
}

Use read_use(long start, long end, int gpus, int seats) {
    Use use{start, end, {}, seats};
    std::size_t parts = 0;
    std::cin >> parts;
    for (std::size_t i = 0; i < parts; ++i) {
        Part part;
        std::cin >> part.node >> part.mask >> part.cpus;
        part.gpus = gpus < 0 ? bits(part.mask) : gpus;
        use.parts.push_back(part);
    }
    return use;
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    Instance in;
    for (std::string word; std::cin >> word;) {
        if (word == "instance") {
            std::size_t nodes = 0;
            in = {};
            std::cin >> in.now >> nodes >> in.how >> in.depth >> in.slack >> in.seats;
        } else if (word == "node") {
            Node node;
            std::cin >> node.gpus >> node.cpus;
            in.nodes.push_back(node);
        } else if (word == "running") {
            long end = 0;
            int seats = 0;
            std::cin >> end >> seats;
            in.running.push_back(read_use(in.now, end, -1, seats));
        } else if (word == "job") {
            Job job;
            long start = 0, end = 0;
            std::cin >> job.id >> job.nodes >> job.gpus >> job.cpus >> job.seats >> job.limit >>
                job.state >> start >> end >> job.before;
            job.use = read_use(start, end, job.gpus, job.seats);
            in.jobs.push_back(job);
        } else if (word == "end") {
            std::cout << judge(in) << '\n';
        }
    }
}
