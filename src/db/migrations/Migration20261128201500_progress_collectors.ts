import { Migration } from '@mikro-orm/migrations'

/** Counts the responses of each segment by collector. The job `refresh-rollups` fills the columns. */
export class Migration20261128201500_progress_collectors extends Migration {
  override name = 'Migration20261128201500_progress_collectors'

  override up(): void {
    this.addSql(
      'alter table response_progress add column collectors bigint[], add column collector_started integer[], add column collector_complete integer[], add column collector_terminated integer[];',
    )
    this.addSql(
      `comment on column response_progress.collectors is 'Collectors of the responses, with the numbers of started, complete and terminated ones in collector_started, collector_complete and collector_terminated. Null until the segment is counted by a version that writes them.';`,
    )
  }

  override down(): void {
    this.addSql(
      'alter table response_progress drop column collectors, drop column collector_started, drop column collector_complete, drop column collector_terminated;',
    )
  }
}
