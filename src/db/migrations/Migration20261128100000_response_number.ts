import { Migration } from '@mikro-orm/migrations'
import { Migration20261128063000_response_ids } from './Migration20261128063000_response_ids.ts'

/** The changes of `store_batch`, as pairs of a part of its previous text and the part that replaces it. */
const CHANGES = [
  ['last_seq bigint;', 'last_seq bigint;\n        last_number integer;\n        last_numbers integer[];'],
  [
    `(survey_id, seq, responses) values (of_survey, totals[ordinal], totals[ordinal])
          on conflict (survey_id) do update set seq = feed.seq + excluded.seq, responses = feed.responses + excluded.responses
          returning feed.seq into last_seq;`,
    `(survey_id, seq, responses, last_number)
          values (of_survey, totals[ordinal], totals[ordinal], totals[ordinal])
          on conflict (survey_id) do update set seq = feed.seq + excluded.seq, responses = feed.responses + excluded.responses,
            last_number = coalesce(feed.last_number, feed.responses) + excluded.last_number
          returning feed.seq, feed.last_number into last_seq, last_number;`,
  ],
  [
    'last_seqs[ordinal] := last_seq;',
    'last_seqs[ordinal] := last_seq;\n          last_numbers[ordinal] := last_number - totals[ordinal];',
  ],
  ['invite_code, invite_email,\n          invite_name)', 'invite_code, invite_email,\n          invite_name, number)'],
  [
    'invite_names[row]\n',
    'invite_names[row], last_numbers[survey_positions[row]] + feed_positions[row]\n',
  ],
  [
    'feed_positions[ordinal] := added_totals[survey_positions[ordinal]];',
    `if feed_positions[ordinal] > added_totals[survey_positions[ordinal]] then
                  feed_positions[ordinal] := added_totals[survey_positions[ordinal]];
                  update response set number = last_numbers[survey_positions[ordinal]] + feed_positions[ordinal]
                  where response.survey_id = of_survey and response.id = stored_id;
                end if;`,
  ],
  [
    'responses = survey_feed.responses - totals[ordinal] + added_totals[ordinal]',
    `responses = survey_feed.responses - totals[ordinal] + added_totals[ordinal],
                last_number = survey_feed.last_number - totals[ordinal] + added_totals[ordinal]`,
  ],
] as const

/**
 * Numbers the responses of each survey from 1 (docs/decisions.md 5.10): adds the numbers, and lets `store_batch` assign
 * them. The next migration numbers the responses that are stored already.
 */
export class Migration20261128100000_response_number extends Migration {
  override name = 'Migration20261128100000_response_number'

  override up(): void {
    this.addSql('alter table response add column number integer;')
    this.addSql('alter table survey_feed add column last_number integer;')
    this.addSql(`comment on column response.number is 'The number that people see, from 1 in each survey. It never changes and is never used again.';`)
    this.addSql(`comment on column survey_feed.last_number is 'The number of the last response; null: no response was numbered yet, and the existing ones take the numbers up to their count.';`)
    this.addSql(CHANGES.reduce(replaced, this.#previousStatement()))
  }

  override down(): void {
    this.addSql(this.#previousStatement())
    this.addSql('alter table survey_feed drop column last_number;')
    this.addSql('alter table response drop column number;')
  }

  /** Returns the statement that creates the previous `store_batch`. */
  #previousStatement(): string {
    const previous = new Migration20261128063000_response_ids(this.driver, this.config)
    previous.up()
    return previous.getQueries().map(String).find((query) => query.startsWith('create or replace function store_batch'))!
  }
}

function replaced(text: string, [from, to]: readonly [string, string]): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`store_batch does not contain once: ${from}`)
  return parts.join(to)
}
