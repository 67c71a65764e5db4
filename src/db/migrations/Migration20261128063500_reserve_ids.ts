import { Migration } from '@mikro-orm/migrations'

/** Reserves ids for the responses of the surveys that are anonymous already. */
export class Migration20261128063500_reserve_ids extends Migration {
  override name = 'Migration20261128063500_reserve_ids'

  override up(): void {
    // Locks each feed and then the survey, as every transaction that changes responses does.
    this.addSql(`do $body$
      declare
        of_survey bigint;
        first_id bigint;
      begin
        for of_survey in
          select survey.id from survey where survey.own_ids_from is null and (survey.settings->>'anonymous' = 'true' or exists (
            select from collector where collector.survey_id = survey.id and collector.settings->>'anonymous' = 'true'))
          order by survey.id
        loop
          first_id := add_response_ids(of_survey, array(select nextval('response_id_seq') from generate_series(1, 1000)));
          update survey set own_ids_from = first_id, revision = revision + 1 where survey.id = of_survey;
        end loop;
      end $body$;`)
  }

  override down(): void {
    this.addSql('update survey set own_ids_from = null;')
  }
}
