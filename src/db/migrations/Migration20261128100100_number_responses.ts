import { Migration } from '@mikro-orm/migrations'

/** Numbers the responses that are stored already, in order of id, in transactions of some thousand responses. */
export class Migration20261128100100_number_responses extends Migration {
  override name = 'Migration20261128100100_number_responses'

  // Each transaction locks the feeds of its responses only briefly.
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql(`do $body$
      declare
        of_survey bigint;
        last_id bigint;
        last_assigned integer;
        numbered integer;
        uncommitted integer := 0;
      begin
        for of_survey in select survey_id from survey_feed where responses > 0 order by survey_id loop
          last_id := 0;
          loop
            -- Every transaction that changes responses locks the feed first. New responses get numbers after those that
            -- are counted here, whether they are stored before or after this batch.
            perform from survey_feed where survey_id = of_survey for update;
            update survey_feed set last_number = responses where survey_id = of_survey and last_number is null;
            last_assigned := coalesce((select number from response
              where survey_id = of_survey and number is not null
                and id < (select min(id) from response where survey_id = of_survey and number is null and id > last_id)
              order by id desc limit 1), 0);
            with batch as (
              select id, (row_number() over (order by id))::integer as position from (
                select id from response where survey_id = of_survey and number is null and id > last_id order by id limit 2000
              ) as unnumbered
            ), changed as (
              update response set number = last_assigned + batch.position from batch
              where response.survey_id = of_survey and response.id = batch.id returning response.id
            )
            select count(*), coalesce(max(id), last_id) into numbered, last_id from changed;
            uncommitted := uncommitted + numbered;
            if uncommitted >= 2000 then
              commit;
              uncommitted := 0;
            end if;
            exit when numbered < 2000;
          end loop;
        end loop;
      end $body$;`)
  }

  override down(): void {
    // The migration before this one drops the numbers.
  }
}
