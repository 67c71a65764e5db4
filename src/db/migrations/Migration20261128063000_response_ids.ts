import { Migration } from '@mikro-orm/migrations'
import { Migration20261123010000_store_batch } from './Migration20261123010000_store_batch.ts'

/**
 * Reserves ids for the responses of anonymous surveys (docs/adr/0120-watching-anonymous-surveys.md): adds the reserved
 * ids to the feed of a survey, and replaces the function `store_batch` by one that takes the ids from there.
 */
export class Migration20261128063000_response_ids extends Migration {
  override name = 'Migration20261128063000_response_ids'

  override up(): void {
    this.addSql('alter table survey add column own_ids_from bigint;')
    this.addSql('alter table survey_feed add column response_ids int8multirange;')
    this.addSql(`comment on column survey.own_ids_from is 'The smallest id of the ids that were reserved for the responses of this survey; null: its responses take the next ids of the installation.';`)
    this.addSql(`comment on column survey_feed.response_ids is 'Reserved ids that no response has yet.';`)
    this.addSql(`create function add_response_ids(of_survey bigint, fresh bigint[]) returns bigint
      language plpgsql as $body$
      declare
        reserved int8multirange;
      begin
        insert into survey_feed as feed (survey_id, seq, responses, response_ids)
        select of_survey, 0, 0, range_agg(int8range(id, id, '[]')) from unnest(fresh) as id
        on conflict (survey_id) do update set response_ids = coalesce(feed.response_ids, '{}') + excluded.response_ids
        returning feed.response_ids into reserved;
        return lower(reserved);
      end $body$;`)
    this.addSql(`comment on function add_response_ids is 'Reserves ids for the responses of a survey. Locks its feed. Returns the smallest reserved id.';`)
    this.addSql(`create function take_response_ids(of_survey bigint, wanted integer) returns bigint[]
      language plpgsql as $body$
      declare
        reserved int8multirange;
        taken bigint[];
      begin
        select feed.response_ids into reserved from survey_feed as feed where feed.survey_id = of_survey for update;
        select array_agg(free.id) into taken from (
          select generate_series(lower(part), upper(part) - 1) as id from unnest(reserved) as part order by id limit wanted
        ) as free;
        if cardinality(taken) = wanted is not true then
          return '{}';
        end if;
        update survey_feed set response_ids = reserved - int8multirange(int8range(taken[1], taken[wanted], '[]'))
        where survey_feed.survey_id = of_survey;
        return taken;
      end $body$;`)
    this.addSql(`comment on function take_response_ids is 'Takes the smallest reserved ids of a survey, in ascending order. Locks its feed. Returns an empty array, and takes none, if fewer are reserved.';`)
    this.addSql(`create or replace function store_batch(
        of_survey bigint, surveys bigint[], totals integer[], survey_positions integer[], feed_positions integer[],
        given_ids bigint[], revisions integer[], collectors bigint[], keys bytea[], completions smallint[], answers text[],
        created timestamptz[], updated timestamptz[], locales integer[], completion_times integer[], scores float8[],
        languages text[], usernames text[], ip_addresses text[], variables text[], referrers text[], pagepaths text[],
        invite_codes text[], invite_emails text[], invite_names text[]) returns bigint[]
      language plpgsql as $body$
      declare
        last_seq bigint;
        current_revision integer;
        has_webhook boolean;
        has_own_ids boolean;
        own_ids bigint[] := '{}';
        own_offsets integer[];
        taken bigint[];
        last_seqs bigint[];
        current_revisions integer[];
        with_webhook integer[] := '{}';
        subscribed_survey integer;
        new_ids bigint[] := array_fill(null::bigint, array[cardinality(keys)]);
        result bigint[];
        stored_id bigint;
        added integer := 0;
        added_totals integer[];
        completed_ids bigint[];
      begin
        -- The first value of of_survey has chosen the node. From here on, it is the survey of the round.
        for ordinal in 1 .. cardinality(surveys) loop
          of_survey := surveys[ordinal];
          -- Locks the feed, and reserves a number for every response of the survey.
          insert into survey_feed as feed (survey_id, seq, responses) values (of_survey, totals[ordinal], totals[ordinal])
          on conflict (survey_id) do update set seq = feed.seq + excluded.seq, responses = feed.responses + excluded.responses
          returning feed.seq into last_seq;
          -- This query sees what the previous owner of the lock has committed.
          select survey.revision, survey.own_ids_from is not null, exists (
            select from webhook where webhook.account_id = survey.owner_id and webhook.event = 'response_complete')
          into current_revision, has_own_ids, has_webhook from survey where survey.id = of_survey;
          if not found then
            delete from survey_feed where survey_feed.survey_id = of_survey;
          end if;
          last_seqs[ordinal] := last_seq;
          current_revisions[ordinal] := current_revision;
          if has_webhook then
            with_webhook := with_webhook || ordinal;
          end if;
          if has_own_ids and given_ids is null then
            taken := take_response_ids(of_survey, totals[ordinal]);
            if cardinality(taken) = totals[ordinal] is not true then
              perform add_response_ids(of_survey,
                array(select nextval('response_id_seq') from generate_series(1, greatest(1000, totals[ordinal]))));
              taken := take_response_ids(of_survey, totals[ordinal]);
            end if;
            own_offsets[ordinal] := cardinality(own_ids);
            own_ids := own_ids || taken;
          end if;
        end loop;
        -- From here on, no other transaction inserts a response of these surveys.
        for ordinal in 1 .. cardinality(keys) loop
          if revisions[ordinal] = current_revisions[survey_positions[ordinal]] then
            new_ids[ordinal] := coalesce(given_ids[ordinal],
              own_ids[own_offsets[survey_positions[ordinal]] + feed_positions[ordinal]], nextval('response_id_seq'));
          end if;
        end loop;
        -- Citus does not count the rows of an insertion that skips some.
        for stored_id in insert into response (
          survey_id, id, collector_id, key, completed, answers, created_at, updated_at, locale, completion_time,
          weighted_score, language, username, ip_address, get_variables, referrer, pagepath, invite_code, invite_email,
          invite_name)
        select surveys[survey_positions[row]], new_ids[row], collectors[row], keys[row], completions[row], answers[row]::jsonb,
          created[row], updated[row], locales[row], completion_times[row], scores[row], languages[row], usernames[row],
          ip_addresses[row], variables[row], referrers[row], pagepaths[row], invite_codes[row], invite_emails[row],
          invite_names[row]
        from generate_subscripts(keys, 1) as row where new_ids[row] is not null
        on conflict (survey_id, key) do nothing returning response.id
        loop
          added := added + 1;
        end loop;
        result := new_ids;
        if added < cardinality(keys) then
          -- Some keys are stored already or occur twice, or some responses have another revision.
          added_totals := array_fill(0, array[cardinality(surveys)]);
          for ordinal in 1 .. cardinality(keys) loop
            if new_ids[ordinal] is not null then
              of_survey := surveys[survey_positions[ordinal]];
              select response.id into stored_id from response
              where response.survey_id = of_survey and response.key = keys[ordinal];
              result[ordinal] := stored_id;
              if stored_id = new_ids[ordinal] then
                added_totals[survey_positions[ordinal]] := added_totals[survey_positions[ordinal]] + 1;
                feed_positions[ordinal] := added_totals[survey_positions[ordinal]];
              else
                new_ids[ordinal] := null;
              end if;
            end if;
          end loop;
          -- Returns the numbers that are not needed.
          for ordinal in 1 .. cardinality(surveys) loop
            if added_totals[ordinal] < totals[ordinal] then
              of_survey := surveys[ordinal];
              update survey_feed set seq = survey_feed.seq - totals[ordinal] + added_totals[ordinal],
                responses = survey_feed.responses - totals[ordinal] + added_totals[ordinal]
              where survey_feed.survey_id = of_survey;
            end if;
          end loop;
        end if;
        if added > 0 then
          insert into response_count (survey_id, collector_id, responses)
          select surveys[survey_positions[row]], collectors[row], count(*) from generate_subscripts(keys, 1) as row
          where new_ids[row] is not null group by 1, 2 order by 1, 2
          on conflict (survey_id, collector_id) do update set responses = response_count.responses + excluded.responses;
          insert into response_change (survey_id, seq, response_id, kind, at)
          select surveys[survey_positions[row]],
            last_seqs[survey_positions[row]] - totals[survey_positions[row]] + feed_positions[row], new_ids[row], 1, updated[row]
          from generate_subscripts(keys, 1) as row where new_ids[row] is not null;
          foreach subscribed_survey in array with_webhook loop
            select array_agg(new_ids[row]) into completed_ids from generate_subscripts(keys, 1) as row
            where survey_positions[row] = subscribed_survey and new_ids[row] is not null and completions[row] = 1;
            if completed_ids is not null then
              perform enqueue_completion_events(surveys[subscribed_survey], completed_ids);
            end if;
          end loop;
        end if;
        return result;
      end $body$;`)
    this.addSql(`comment on function store_batch is 'Stores responses of one survey or several, appends to the change feeds, updates the counters and enqueues the webhook events of complete responses. The surveys are distinct and in ascending order; with Citus, there is one, and of_survey is its id. survey_positions: the position of the survey of each response in surveys. feed_positions: the position of each response among those of its survey. totals: the number of responses of each survey. A survey with ids of its own (survey.own_ids_from) gets them from survey_feed.response_ids. Returns the id of each response, also of one whose key is stored already; null if the survey has another revision or does not exist.';`)
  }

  override down(): void {
    this.addSql('drop function store_batch;')
    const previous = new Migration20261123010000_store_batch(this.driver, this.config)
    previous.up()
    for (const query of previous.getQueries()) this.addSql(query)
    this.addSql('drop function take_response_ids, add_response_ids;')
    this.addSql('alter table survey_feed drop column response_ids;')
    this.addSql('alter table survey drop column own_ids_from;')
  }
}
