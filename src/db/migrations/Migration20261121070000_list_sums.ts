import { Migration } from '@mikro-orm/migrations'

/**
 * Lists use the counts as well. Each chunk stores the range of times of its responses, so that a filter by date reads
 * only the chunks at the borders; the summary stores the revision of the survey that it counts. Existing counts lack
 * these times and the revision, so they are deleted, and the job `seal-chunks` rebuilds them.
 */
export class Migration20261121070000_list_sums extends Migration {
  override name = 'Migration20261121070000_list_sums'

  override up(): void {
    this.addSql('delete from response_summary;')
    this.addSql('alter table response_summary add column revision integer;')
    this.addSql(`alter table response_chunk add column first_created timestamptz, add column last_created timestamptz,
      add column first_updated timestamptz, add column last_updated timestamptz;`)
    this.addSql(`comment on column response_summary.revision is 'The revision of the survey of which everything is counted that lists ask for; null: of none.';`)
  }

  override down(): void {
    this.addSql('alter table response_summary drop column revision;')
    this.addSql(`alter table response_chunk drop column first_created, drop column last_created,
      drop column first_updated, drop column last_updated;`)
  }
}
