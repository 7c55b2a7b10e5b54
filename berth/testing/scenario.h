// Scenarios: tests written as text. Commands, then what the engine decided, in tests/scenarios/.
//
//   node NAMES [gpus=8 type=a100 sockets=2 cores=32 mem=512G links=none|fours|all features=a,b
//        weight=1 fpga=2 mps=100 shard=4 gpumem=80G (parts of each GPU)
//        switch=top/leaf block=b1 gpu_memory=80G capability=80]
//   partition NAME [nodes=NAMES max_time= default_time= max_nodes= max_cpus_per_node= tier=
//   state=down exclusive
//        share=FORCE:2 (OverSubscribe) force (FORCE:1) mode=requeue grace=10]
//   preempt partition|qos|priority mode=cancel|requeue [within youngest_first exempt=10
//        exempt_priority= reclaim_licenses always gang]
//        none gang: no preemption, but jobs take turns
//   qos NAME [priority= preempts=a,b mode= within grace= exempt=]
//   set [kill_wait=30 depth=500 backfill=no user_depth=2 partition_depth=2 user_partition_depth=2
//        association_depth=2 min_age=5 min_priority=9 starts=3 starts_pause=1 cycle_pause=1
//        submission_wait=1 switches_wait_max=5]
//   rule priority age weight=1000 max_age=86400
//   submit [name= gpus= (a node) total_gpus= nodes=2-4 tasks= cpus= mem= t=1:00:00 partition= qos=
//          array=0-9%2 after…=ID begin= hold nice= priority= exclusive nodelist= exclude=
//          constraint= fpga= mps= shard= gpumem= switches=1@10 segment= contiguous spread pack
//          share (-s) compact beside=node:JOB apart=gpu:JOB?,feature:NAME gpu_memory=40G
//          capability=80 user= checkpoint=FILE]
//   cancel ID | hold ID | release ID | update ID [priority= t= …]
//   frozen ID               all its nodes say that it stands still
//   finish ID [exit=1] | requeue ID | lose NAME | return NAME | drain NAME | undrain NAME
//   checkpoint ID           its run has saved one
//   step [after=1:00:00]    one cycle, that much later; prints what it decided and who waits
//   why ID                  prints the explanation
//
// Times are as Slurm writes limits: minutes, or h:m:s.
#pragma once

#include <string>

namespace berth::testing {

// Runs the commands of one scenario and returns it again with what really came of them. A scenario
// passes when that changes nothing. After each step the state's invariants and the plan are
// checked.
std::string run_scenario(const std::string& text);

}  // namespace berth::testing
