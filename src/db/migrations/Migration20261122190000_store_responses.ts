import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the functions that store responses. Each works on one survey, so that Citus runs it on the node of the survey
 * (docs/adr/0101-distributed-database.md).
 */
export class Migration20261122190000_store_responses extends Migration {
  override name = 'Migration20261122190000_store_responses'

  override up(): void {
    this.addSql(`create function enqueue_completion_events(of_survey bigint, response_ids bigint[]) returns void
      language plpgsql as $body$
      begin
        if not exists (
          select from survey join webhook on webhook.account_id = survey.owner_id
          where survey.id = of_survey and webhook.event = 'response_complete' and webhook.disabled_at is null
            and (webhook.survey_id is null or webhook.survey_id = of_survey)) then
          return;
        end if;
        insert into webhook_delivery (webhook_id, event, facts, next_attempt_at, created_at)
        select webhook.id, webhook.event, jsonb_build_object(
          'id', response.id, 'key', encode(response.key, 'hex'), 'score', response.weighted_score,
          'language', response.language, 'referrer', response.referrer, 'invite_email', response.invite_email,
          'invite_name', response.invite_name, 'created_at', response.created_at, 'updated_at', response.updated_at,
          'answers', response.answers, 'survey_id', survey.id, 'survey_name', survey.name, 'slug', survey.slug,
          'username', account.username, 'version', survey.version), response.updated_at, response.updated_at
        from response
        join survey on survey.id = response.survey_id
        join account on account.id = survey.owner_id
        join webhook on webhook.account_id = survey.owner_id and webhook.event = 'response_complete'
          and webhook.disabled_at is null and (webhook.survey_id is null or webhook.survey_id = response.survey_id)
          and (webhook.collector_id is null or webhook.collector_id = response.collector_id)
        where response.survey_id = of_survey and response.id = any(response_ids)
        order by response.id;
      end $body$;`)
    this.addSql(`comment on function enqueue_completion_events is 'Inserts a delivery of the event response_complete for every subscribed webhook, due at the time of the last change of the response.';`)
    this.addSql(`create function store_responses(
        of_survey bigint, given_ids bigint[], revisions integer[], collectors bigint[], keys bytea[], completions smallint[],
        answers text[], created timestamptz[], updated timestamptz[], locales integer[], completion_times integer[],
        scores float8[], languages text[], usernames text[], ip_addresses text[], variables text[], referrers text[],
        pagepaths text[], invite_codes text[], invite_emails text[], invite_names text[]) returns bigint[]
      language plpgsql as $body$
      declare
        current_revision integer;
        stored_keys bytea[];
        stored_ids bigint[];
        new_ids bigint[];
        result bigint[];
        completed_ids bigint[];
        added bigint;
        last_seq bigint;
      begin
        perform from survey_feed where survey_feed.survey_id = of_survey for update;
        if not found then
          insert into survey_feed (survey_id) values (of_survey) on conflict (survey_id) do nothing;
          perform from survey_feed where survey_feed.survey_id = of_survey for update;
        end if;
        -- This query sees what the previous owner of the lock has committed.
        select survey.revision into current_revision from survey where survey.id = of_survey;
        if not found then
          delete from survey_feed where survey_feed.survey_id = of_survey;
          return null;
        end if;
        -- From here on, no other transaction inserts a response of this survey.
        select array_agg(case when row.revision = current_revision then coalesce(row.id, nextval('response_id_seq')) end
          order by row.ord)
        into new_ids from unnest(revisions, given_ids) with ordinality as row(revision, id, ord);
        insert into response (
          survey_id, id, collector_id, key, completed, answers, created_at, updated_at, locale, completion_time,
          weighted_score, language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email,
          invite_name)
        select of_survey, row.id, row.collector_id, row.key, row.completed, row.answers::jsonb, row.created_at,
          row.updated_at, row.locale, row.completion_time, row.weighted_score, row.language, row.username,
          row.ip_address, row.get_variables, row.referrer, row.pagepath, row.invite_code, row.invite_email,
          row.invite_name
        from unnest(
          new_ids, collectors, keys, completions, answers, created, updated, locales, completion_times, scores, languages,
          usernames, ip_addresses, variables, referrers, pagepaths, invite_codes, invite_emails, invite_names
        ) as row(
          id, collector_id, key, completed, answers, created_at, updated_at, locale, completion_time, weighted_score,
          language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email, invite_name)
        where row.id is not null
        on conflict (survey_id, key) do nothing;
        get diagnostics added = row_count;
        if added < cardinality(keys) then
          -- Some keys are stored already or occur twice, or some responses have another revision.
          select array_agg(response.key), array_agg(response.id) into stored_keys, stored_ids
          from response where response.survey_id = of_survey and response.key = any(keys);
          select array_agg(case when given.revision = current_revision then stored.id end order by given.ord),
            array_agg(case when given.id = stored.id then given.id end order by given.ord)
          into result, new_ids
          from unnest(keys, revisions, new_ids) with ordinality as given(key, revision, id, ord)
          left join unnest(stored_keys, stored_ids) as stored(key, id) on stored.key = given.key;
        else
          result := new_ids;
        end if;
        if added > 0 then
          update survey_feed set seq = survey_feed.seq + added, responses = survey_feed.responses + added
          where survey_feed.survey_id = of_survey returning survey_feed.seq into last_seq;
          insert into response_count (survey_id, collector_id, responses)
          select of_survey, row.collector_id, count(*) from unnest(new_ids, collectors) as row(id, collector_id)
          where row.id is not null group by row.collector_id order by row.collector_id
          on conflict (survey_id, collector_id) do update set responses = response_count.responses + excluded.responses;
          insert into response_change (survey_id, seq, response_id, kind, at)
          select of_survey, last_seq - added + row_number() over (order by row.ord), row.id, 1, row.updated_at
          from unnest(new_ids, updated) with ordinality as row(id, updated_at, ord) where row.id is not null;
          select array_agg(row.id) into completed_ids from unnest(new_ids, completions) as row(id, completed)
          where row.id is not null and row.completed = 1;
          if completed_ids is not null then
            perform enqueue_completion_events(of_survey, completed_ids);
          end if;
        end if;
        return result;
      end $body$;`)
    this.addSql(`comment on function store_responses is 'Stores responses of one survey, appends to the change feed, updates the counters and enqueues the webhook events of complete responses. Returns the id of each response, also of one whose key is stored already; null if the survey has another revision. Null for all: the survey does not exist.';`)
  }

  override down(): void {
    this.addSql('drop function store_responses;')
    this.addSql('drop function enqueue_completion_events;')
  }
}
