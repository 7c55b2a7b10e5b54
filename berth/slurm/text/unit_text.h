// UnitText: memory as --noconvert and --units print it.
#pragma once

#include <string>
#include <string_view>

namespace berth::slurm {

// "2G" -> "2048M" with unit 'M', "1500M" -> "1.46G" with 'G'; in a TRES list the memory alone:
// "cpu=1,mem=2G". What is no size stays as it is. REQUIRES: unit is one of K, M, G, T, P.
std::string in_unit(std::string_view text, char unit);

bool is_unit(std::string_view text);  // "K" to "P".

}  // namespace berth::slurm
