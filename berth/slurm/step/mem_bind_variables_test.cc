#include "berth/slurm/step/mem_bind_variables.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

// The right column is what Debian's Slurm 22.05 gave.
TEST(VariablesOfMemBind, TellTasksEachPart) {
    struct Case {
        const char *option, *whole, *list, *type;
    };
    const Case cases[] = {
        {"none", "quiet,none", "", "none"},
        {"local", "quiet,local", "", "local"},
        {"quiet,nosort,rank", "quiet,rank", "", "rank"},
        {"map_mem:0,1", "quiet,map_mem:0,1", "0,1", "map_mem:"},
        {"mask_mem:0x1*2,0xf", "quiet,mask_mem:1,1,f", "1,1,f", "mask_mem:"},
        {"mask_mem:0x1,0xF", "quiet,mask_mem:1,F", "1,F", "mask_mem:"},
        {"mask_mem:0x100", "quiet,mask_mem:100", "100", "mask_mem:"},
    };
    for (const Case& one : cases) {
        const MemBindVariables expected = {{"SLURM_MEM_BIND", one.whole},
                                           {"SLURM_MEM_BIND_LIST", one.list},
                                           {"SLURM_MEM_BIND_TYPE", one.type},
                                           {"SLURM_MEM_BIND_VERBOSE", "quiet"}};
        EXPECT_EQ(mem_bind_of_tasks(one.option), expected) << one.option;
    }
}

TEST(VariablesOfMemBind, TellTasksThatOtherMemoryIsAllowed) {
    const MemBindVariables expected = {{"SLURM_MEM_BIND", "quiet,prefer,local"},
                                       {"SLURM_MEM_BIND_LIST", ""},
                                       {"SLURM_MEM_BIND_TYPE", "local"},
                                       {"SLURM_MEM_BIND_VERBOSE", "quiet"},
                                       {"SLURM_MEM_BIND_PREFER", "prefer"}};
    EXPECT_EQ(mem_bind_of_tasks("p,local"), expected);
}

TEST(VariablesOfMemBind, TellAJobOneWord) {
    const MemBindVariables expected = {{"SLURM_MEM_BIND", "prefer,map_mem:0,1"},
                                       {"SLURM_MEM_BIND_VERBOSE", "quiet"}};
    EXPECT_EQ(mem_bind_of_job("prefer,map_mem:0,1"), expected);
}

// Of 0x2 tasks, too: whatever was accepted is written.
TEST(VariablesOfMemBind, ReadANumberOfTasksAsTheParserDoes) {
    EXPECT_EQ(mem_bind_of_tasks("mask_mem:0x1*0x2")[1].second, "1,1");
}

TEST(VariablesOfMemBind, SayNothingWithoutTheOption) {
    EXPECT_EQ(mem_bind_of_job(""), MemBindVariables{});
    EXPECT_EQ(mem_bind_of_tasks(""), MemBindVariables{});
}

}  // namespace
}  // namespace berth::slurm
