import { insertCompletionEvents } from './completion-event.ts'

/**
 * Inserts a batch of responses, appends to the change feed, updates the counters and enqueues the webhook events of complete
 * responses, in one statement and one commit.
 *
 * Responses are skipped if the survey is deleted or has another revision; callers then validate again. If a response
 * with the key exists, the submission is a repetition: the id of the stored response is returned and nothing is
 * written. The row of survey_feed is locked first, until the commit, so that the numbers of the feed follow the order
 * of commits. Then the survey is locked, so that neither the survey nor a collector is deleted before the commit
 * (survey/feed.ts, lockFeed). Surveys are locked in order of id, so that batches cannot deadlock.
 */
export const INSERT_BATCH = `
with batch as (
  select * from unnest(
    $1::bigint[], $2::integer[], $3::bigint[], $4::bytea[], $5::smallint[], $6::text[], $7::timestamptz[], $8::integer[],
    $9::integer[], $10::float8[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
    $18::text[], $19::text[], $20::timestamptz[]
  ) with ordinality as row (
    survey_id, revision, collector_id, key, completed, answers, created_at, locale,
    completion_time, weighted_score, language, username, ip_address, get_variables, referrer, pagepath, invite_code,
    invite_email, invite_name, updated_at, ord)
), locked_feed as materialized (
  select survey_id from survey_feed where survey_id = any($1::bigint[]) order by survey_id for update
), locked_survey as materialized (
  select survey.id, survey.revision, survey.owner_id from survey, (select count(*) from locked_feed) as feeds
  where survey.id = any($1::bigint[]) order by survey.id for share of survey
), accepted as materialized (
  select batch.*, locked_survey.owner_id
  from batch join locked_survey on locked_survey.id = batch.survey_id and locked_survey.revision = batch.revision
), inserted as (
  insert into response (
    survey_id, collector_id, key, completed, answers, created_at, updated_at, locale, completion_time, weighted_score,
    language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email, invite_name)
  select survey_id, collector_id, key, completed, answers::jsonb, created_at, updated_at, locale, completion_time,
    weighted_score, language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email, invite_name
  from accepted order by ord
  on conflict (survey_id, key) do nothing
  returning survey_id, id, key, collector_id, updated_at
), feed as (
  insert into survey_feed as f (survey_id, seq, responses)
  select survey_id, count(*), count(*) from inserted group by survey_id order by survey_id
  on conflict (survey_id) do update set seq = f.seq + excluded.seq, responses = f.responses + excluded.responses
  returning survey_id, seq
), counted as (
  insert into response_count as c (survey_id, collector_id, responses)
  select survey_id, collector_id, count(*) from inserted group by survey_id, collector_id order by survey_id, collector_id
  on conflict (survey_id, collector_id) do update set responses = c.responses + excluded.responses
), changed as (
  insert into response_change (survey_id, seq, response_id, kind, at)
  select inserted.survey_id, feed.seq + 1 - row_number() over (partition by inserted.survey_id order by inserted.id desc), inserted.id, 1, inserted.updated_at
  from inserted join feed using (survey_id)
), completion_event as (${insertCompletionEvents({
  from: 'accepted join inserted on inserted.survey_id = accepted.survey_id and inserted.key = accepted.key',
  response: 'accepted',
  id: 'inserted.id',
  answers: 'accepted.answers::jsonb',
  owner: 'accepted.owner_id',
})}
  where accepted.completed = 1
)
select ord, id from (
  select accepted.ord, coalesce(inserted.id, (
    select stored.id from response as stored where stored.survey_id = accepted.survey_id and stored.key = accepted.key
  )) as id
  from accepted left join inserted on inserted.survey_id = accepted.survey_id and inserted.key = accepted.key
) as outcome
where id is not null`
