import { Migration } from '@mikro-orm/migrations'
import { Migration20261128100000_response_number } from './Migration20261128100000_response_number.ts'

/**
 * Adds the time that a respondent has spent on an incomplete response, and which change of a response completed it. For
 * the first page of several, `store_batch` stores the time as the time spent so far.
 */
export class Migration20261128100200_active_seconds extends Migration {
  override name = 'Migration20261128100200_active_seconds'

  override up(): void {
    this.addSql('alter table response add column active_seconds real;')
    this.addSql('alter table response_change add column completes boolean;')
    this.addSql(`comment on column response.active_seconds is 'Seconds between the display of the first page and the last save, without pauses of more than 30 minutes; null: unknown, or the response is anonymous.';`)
    this.addSql(`comment on column response_change.completes is 'Whether this change made the response complete; null: stored before this column existed.';`)
    this.addSql(
      this.#previousStatement()
        .replace('invite_name, number)', 'invite_name, number, active_seconds)')
        .replace(
          'completion_times[row]',
          'case when completions[row] > 0 or pagepaths[row] is null then completion_times[row] end',
        )
        .replace(
          '+ feed_positions[row]\n',
          '+ feed_positions[row],\n          case when pagepaths[row] is not null then completion_times[row] end\n',
        ),
    )
  }

  override down(): void {
    this.addSql(this.#previousStatement())
    this.addSql('alter table response_change drop column completes;')
    this.addSql('alter table response drop column active_seconds;')
  }

  /** Returns the statement that creates the previous `store_batch`. */
  #previousStatement(): string {
    const previous = new Migration20261128100000_response_number(this.driver, this.config)
    previous.up()
    return previous.getQueries().map(String).find((query) => query.startsWith('create or replace function store_batch'))!
  }
}
