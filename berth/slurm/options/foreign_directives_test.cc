#include "berth/slurm/options/foreign_directives.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

// The words of all lines, one after the other; what is refused as the message.
std::string words_of(const std::string& line) {
    const auto directives = foreign_directives("#!/bin/sh\n" + line + "\n");
    if (!directives.ok()) return directives.error().message;
    std::string words;
    for (const Directive& directive : *directives) {
        for (const std::string& word : directive.words) words += (words.empty() ? "" : " ") + word;
    }
    return words;
}

TEST(ForeignDirectives, MeanWhatQsubsOptionsMean) {
    EXPECT_EQ(words_of("#PBS -N wave2d -q cpu"), "--job-name=wave2d --partition=cpu");
    EXPECT_EQ(words_of("#PBS -Nwave2d"), "--job-name=wave2d");
    EXPECT_EQ(words_of("#PBS -l nodes=2:ppn=4,walltime=00:30:00,mem=4gb"),
              "--nodes=2 --ntasks=8 --time=00:30:00 --mem=4gb");
    EXPECT_EQ(words_of("#PBS -l nodes=n1+n2:gpus=2"), "--nodelist=n1,n2 --gpus-per-node=2");
    EXPECT_EQ(words_of("#PBS -m ae -M me@example.org"),
              "--mail-type=FAIL,END --mail-user=me@example.org");
    EXPECT_EQ(words_of("#PBS -W depend=afterok:12"), "--dependency=afterok:12");
    EXPECT_EQ(words_of("#PBS -r n"), "--no-requeue");
    EXPECT_EQ(words_of("#PBS -t 1-4 -A ml -h"), "--array=1-4 --account=ml --hold");
    EXPECT_EQ(words_of("#PBS -V -j oe -S /bin/bash"), "") << "so it is in any case";
}

TEST(ForeignDirectives, MeanWhatBsubsOptionsMean) {
    EXPECT_EQ(words_of("#BSUB -J heat3d -n 4 -q cpu -x"),
              "--job-name=heat3d --ntasks=4 --partition=cpu --exclusive");
    EXPECT_EQ(words_of("#BSUB -W 30"), "--time=30");
    EXPECT_EQ(words_of("#BSUB -W 2:30"), "--time=2:30:00") << "hours and minutes";
}

TEST(ForeignDirectives, AreRefusedByNameWithoutACounterpart) {
    EXPECT_TRUE(words_of("#PBS -l select=2").starts_with("#PBS line 2: -l select=2 has no"));
    EXPECT_TRUE(words_of("#PBS -I").starts_with("#PBS line 2: -I has no counterpart"));
    EXPECT_TRUE(words_of("#PBS -m x").starts_with("#PBS line 2: -m x has no"));
    EXPECT_TRUE(words_of("#BSUB -R span[ptile=4]").starts_with("#BSUB line 2: -R has no"));
    EXPECT_TRUE(words_of("#PBS word").starts_with("#PBS line 2: word has no"));
}

}  // namespace
}  // namespace berth::slurm
