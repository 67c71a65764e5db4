import { Migration } from '@mikro-orm/migrations';

/**
 * Choices and rows get stable numbers. The numbers of stored answers are the positions in the current structure, so neither
 * responses nor structures are rewritten. Choices of earlier versions beyond these positions are stored with their last label.
 */
export class Migration20261122010000_choice_numbers extends Migration {

  override name = 'Migration20261122010000_choice_numbers';

  override up(): void | Promise<void> {
    this.addSql(`alter table "survey" add "removed" jsonb not null default '[]';`);
    this.addSql(`
with question as (
  select kept.survey_id, kept.version, survey.version as current, asked.value as source,
    asked.value ->> 'id' as id, asked.value ->> 'idname' as kind
  from survey_version as kept
  join survey on survey.id = kept.survey_id and survey.version > 1
  cross join lateral jsonb_array_elements(kept.structure::jsonb -> 'form') as page
  cross join lateral jsonb_array_elements(page.value -> 'children') as asked
), list as (
  select survey_id, version, current, id, 'choices' as name,
    case when kind not like '%-grid' and jsonb_typeof(source #> '{children,0,choices}') = 'array'
      then source #> '{children,0,choices}' else source -> 'choices' end as items
  from question
  where kind in ('single-choice', 'multiple-choice', 'dropdown-choice', 'ranking', 'single-choice-grid', 'dropdown-grid')
  union all
  select survey_id, version, current, id, 'rows', source -> 'children' from question
  where kind in ('single-choice-grid', 'text-response-grid', 'dropdown-grid')
), removed as (
  select survey_id, id, name, (item.place - 1)::integer as uid,
    (array_agg(item.value -> 'label' order by version desc))[1] as label
  from list
  cross join lateral jsonb_array_elements(case jsonb_typeof(items) when 'array' then items else '[]' end)
    with ordinality as item(value, place)
  group by survey_id, current, id, name, item.place
  having max(version) < current
), grouped as (
  select survey_id, id,
    coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'label', case jsonb_typeof(label) when 'object' then label else '{}' end)
      order by uid) filter (where name = 'choices'), '[]') as choices,
    coalesce(jsonb_agg(jsonb_build_object('uid', uid, 'label', case jsonb_typeof(label) when 'object' then label else '{}' end)
      order by uid) filter (where name = 'rows'), '[]') as rows
  from removed group by survey_id, id
)
update survey set removed = found.removed
from (
  select survey_id, jsonb_agg(jsonb_build_object('question', id, 'choices', choices, 'rows', rows)) as removed
  from grouped group by survey_id
) as found
where found.survey_id = survey.id;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "survey" drop column "removed";`);
  }

}
