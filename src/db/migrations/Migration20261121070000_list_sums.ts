import { Migration } from '@mikro-orm/migrations'

/**
 * Lists find their pages through the sums as well: a chunk tells from when to when its responses are, so that a filter
 * on a date reads the chunks at its borders only, and the summary tells for which revision of the survey it counts.
 * Sums kept so far know neither; the job `seal-chunks` makes them again.
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
