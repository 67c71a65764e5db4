import { Migration } from '@mikro-orm/migrations'

/**
 * Counts the responses of each segment by quarter of an hour, from which the days of every time zone can be added up. The
 * job `refresh-rollups` fills the columns.
 */
export class Migration20261128134000_progress_slots extends Migration {
  override name = 'Migration20261128134000_progress_slots'

  override up(): void {
    this.addSql(
      'alter table response_progress add column slots integer[], add column slot_started integer[], add column slot_complete integer[];',
    )
    this.addSql(
      `comment on column response_progress.slots is 'Quarters of an hour since 1970 in which responses were started, with the numbers of started and complete ones in slot_started and slot_complete. Null until the segment is counted by a version that writes them.';`,
    )
  }

  override down(): void {
    this.addSql(
      'alter table response_progress drop column slots, drop column slot_started, drop column slot_complete;',
    )
  }
}
