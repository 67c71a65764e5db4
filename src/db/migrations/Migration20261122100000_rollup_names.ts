import { Migration } from '@mikro-orm/migrations'

/** Old and new names of tables; below, of columns, keys and constraints. */
const TABLES = [
  ['response_summary', 'response_rollup'],
  ['response_chunk', 'response_segment'],
  ['response_mark', 'response_bitmap'],
] as const
const COLUMNS = [
  ['response_rollup', 'slots', 'predicates'],
  ['response_segment', 'marked', 'indexed_predicates'],
  ['response_bitmap', 'number', 'segment_number'],
  ['response_bitmap', 'slot', 'predicate_number'],
] as const
const CONSTRAINTS = [
  ['response_rollup', 'response_summary_pkey', 'response_rollup_pkey'],
  ['response_rollup', 'response_summary_survey_id_fkey', 'response_rollup_survey_id_fkey'],
  ['response_segment', 'response_chunk_pkey', 'response_segment_pkey'],
  ['response_segment', 'response_chunk_survey_id_fkey', 'response_segment_survey_id_fkey'],
  ['response_bitmap', 'response_mark_pkey', 'response_bitmap_pkey'],
  ['response_bitmap', 'response_mark_survey_id_number_fkey', 'response_bitmap_segment_fkey'],
] as const
const MISMATCH = ['{"kind":"odd",', '"unlike":', '{"kind":"typeMismatch",', '"expected":'] as const

/**
 * Renames the tables and columns of the rollup after their content. Changes only the catalogue and the names of predicates, in
 * one row per survey.
 */
export class Migration20261122100000_rollup_names extends Migration {
  override name = 'Migration20261122100000_rollup_names'

  override up(): void {
    for (const [from, to] of TABLES) this.addSql(`alter table ${from} rename to ${to};`)
    for (const [table, from, to] of COLUMNS) this.addSql(`alter table ${table} rename column ${from} to ${to};`)
    for (const [table, from, to] of CONSTRAINTS) this.addSql(`alter table ${table} rename constraint ${from} to ${to};`)
    const [kind, member, newKind, newMember] = MISMATCH
    this.renamePredicates(kind, member, newKind, newMember)
    this.addSql(`comment on table response_rollup is 'Which predicates the segments of a survey count, up to which response (last_id) and as of which number of the change feed (seq).';`)
    this.addSql(`comment on column response_rollup.revision is 'The revision of the survey for which all predicates of lists are counted; null: none.';`)
    this.addSql(`comment on table response_segment is 'Numbers of responses, after the segment before and up to last_id, that have each of the predicates of response_rollup.';`)
    this.addSql(`comment on column response_segment.indexed_predicates is 'Number of the predicates of response_rollup, from the first on, of which the segment has its bitmaps.';`)
    this.addSql(`comment on table response_bitmap is 'One bit per response of a segment, by id: whether it has a predicate (its position in response_rollup, from 1). None for predicates that lists and reports do not combine.';`)
  }

  override down(): void {
    const [kind, member, newKind, newMember] = MISMATCH
    this.renamePredicates(newKind, newMember, kind, member)
    for (const [table, from, to] of CONSTRAINTS) this.addSql(`alter table ${table} rename constraint ${to} to ${from};`)
    for (const [table, from, to] of COLUMNS) this.addSql(`alter table ${table} rename column ${to} to ${from};`)
    for (const [from, to] of TABLES) this.addSql(`alter table ${to} rename to ${from};`)
  }

  private renamePredicates(kind: string, member: string, newKind: string, newMember: string): void {
    this.addSql(`update response_rollup set predicates = array(
      select case when starts_with(name, '${kind}')
        then replace(replace(name, '${kind}', '${newKind}'), '${member}', '${newMember}') else name end
      from unnest(predicates) with ordinality as predicate(name, position) order by position);`)
  }
}
