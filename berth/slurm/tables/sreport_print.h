// Prints a report of sreport's: its title, its columns and its lines.
#pragma once

#include "berth/slurm/tables/sreport_rows.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct ReportStyle {
    TableStyle table = TableStyle::table;
    bool header = true, quiet = false;
};

// Returns the command's exit code.
int print_report(const ReportStyle& style, ReportAsked asked, api::UsageReport usage,
                 std::vector<api::AssociationRow> associations, Streams& streams);

}  // namespace berth::slurm
