/**
 * Inserts a batch of responses, appends the change feed, moves the counters and writes down for each webhook that waits
 * for it that a response is complete, in one statement and one commit.
 *
 * A row whose survey changed meanwhile (revision) or vanished is left out: its sender checks again. A key that exists
 * already is a repeated submission: the stored response's id is answered and nothing is written.
 * The row of survey_feed is locked first and to the commit, so the numbers of the feed follow the order of commits; then
 * the survey is locked as it was checked, so that neither it nor a collector is deleted before the commit (feed.ts,
 * lockFeed). Surveys are taken in order of id, so that two batches never wait for each other.
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
), queued as materialized (
  select survey_id from survey_feed where survey_id = any($1::bigint[]) order by survey_id for update
), held as materialized (
  select survey.id, survey.revision, survey.owner_id from survey, (select count(*) from queued) as feeds
  where survey.id = any($1::bigint[]) order by survey.id for share of survey
), fresh as materialized (
  select batch.*, held.owner_id
  from batch join held on held.id = batch.survey_id and held.revision = batch.revision
), made as (
  insert into response (
    survey_id, collector_id, key, completed, answers, created_at, updated_at, locale, completion_time, weighted_score,
    language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email, invite_name)
  select survey_id, collector_id, key, completed, answers::jsonb, created_at, updated_at, locale, completion_time,
    weighted_score, language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email, invite_name
  from fresh order by ord
  on conflict (survey_id, key) do nothing
  returning survey_id, id, key, collector_id, updated_at
), feed as (
  insert into survey_feed as f (survey_id, seq, responses)
  select survey_id, count(*), count(*) from made group by survey_id order by survey_id
  on conflict (survey_id) do update set seq = f.seq + excluded.seq, responses = f.responses + excluded.responses
  returning survey_id, seq
), counted as (
  insert into response_count as c (survey_id, collector_id, responses)
  select survey_id, collector_id, count(*) from made group by survey_id, collector_id order by survey_id, collector_id
  on conflict (survey_id, collector_id) do update set responses = c.responses + excluded.responses
), changed as (
  insert into response_change (survey_id, seq, response_id, kind, at)
  select made.survey_id, feed.seq + 1 - row_number() over (partition by made.survey_id order by made.id desc), made.id, 1, made.updated_at
  from made join feed using (survey_id)
), told as (
  insert into webhook_delivery (webhook_id, event, facts, next_attempt_at, created_at)
  select webhook.id, webhook.event, jsonb_build_object('id', made.id, 'key', encode(made.key, 'hex'),
    'score', fresh.weighted_score, 'language', fresh.language, 'referrer', fresh.referrer, 'invite_email', fresh.invite_email,
    'invite_name', fresh.invite_name, 'created_at', fresh.created_at, 'updated_at', fresh.updated_at,
    'answers', fresh.answers::jsonb, 'survey_id', survey.id, 'survey_name', survey.name, 'slug', survey.slug,
    'username', account.username, 'version', survey.version), made.updated_at, made.updated_at
  from fresh
  join webhook on webhook.account_id = fresh.owner_id and webhook.event = 'response_complete'
    and webhook.disabled_at is null and (webhook.survey_id is null or webhook.survey_id = fresh.survey_id)
    and (webhook.collector_id is null or webhook.collector_id = fresh.collector_id)
  join made on made.survey_id = fresh.survey_id and made.key = fresh.key
  join survey on survey.id = fresh.survey_id
  join account on account.id = survey.owner_id
  where fresh.completed = 1
)
select ord, id from (
  select fresh.ord, coalesce(made.id, (
    select stored.id from response as stored where stored.survey_id = fresh.survey_id and stored.key = fresh.key
  )) as id
  from fresh left join made on made.survey_id = fresh.survey_id and made.key = fresh.key
) as outcome
where id is not null`
