import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../tables.ts'
import { percentage } from '../question-stats.ts'

/**
 * How many invitations by email reached each step (docs/specification.md 10.6). Every step includes the later ones.
 * Codes without a recipient are not counted, because the service does not know who received them.
 */
export interface InvitationOutcomes {
  /** Invitations whose email was sent or could not be delivered. */
  invited: number
  /** Emails that a mail server accepted, without a known bounce. */
  accepted: number
  opened: number
  /** Invitations whose first page was submitted. */
  started: number
  complete: number
  /** Invitations whose response a rule of the structure terminated. */
  terminated: number
  /** Percentage: complete among all invited who were not screened out (AAPOR RR1); null without any. */
  responseRate: number | null
  /** Percentage: started and not screened out, among the same (AAPOR RR2). */
  responseRateWithPartial: number | null
}

type Steps = Omit<InvitationOutcomes, 'responseRate' | 'responseRateWithPartial'>

/** The outcomes of the invitations of a contact list; null: of recipients who are in no list of the account. */
export interface ListOutcomes {
  list: { id: number; name: string } | null
  outcomes: InvitationOutcomes
}

/** The outcomes of a survey's invitations, by collector and by contact list. */
export interface SurveyOutcomes {
  all: InvitationOutcomes
  byCollector: ReadonlyMap<number, InvitationOutcomes>
  /** Lists of the actor with invited contacts, by name. A contact in several lists counts in each of them. */
  byList: readonly ListOutcomes[]
}

interface StepRow extends Steps {
  kind: 'all' | 'collector' | 'list'
  id: number | null
  name: string | null
}

/**
 * Counts the invitations of a survey by their steps, with two queries: one over the responses with an invite code, and
 * one over the invitations. Responses without an invitation are not read.
 */
export async function countOutcomes({ em, actor }: Context, surveyId: number): Promise<SurveyOutcomes> {
  const db = em.getKysely<Tables>()
  // The best status of an invitation that permits several responses: complete, then terminated, then incomplete.
  const answers = await db
    .selectFrom('response')
    .select(['invite_code', sql<number>`max((array[0, 2, 1])[completed + 1])`.as('rank')])
    .where('survey_id', '=', surveyId)
    .where('invite_code', 'is not', null)
    .groupBy('invite_code')
    .execute()
  const codes = answers.map(({ invite_code }) => invite_code)
  const ranks = answers.map(({ rank }) => rank)
  const { rows } = await sql<StepRow>`with answer as (
      select * from unnest(${codes}::text[], ${ranks}::integer[]) as answer (code, rank)
    ), outcome as materialized (
      select invite.collector_id, invite.contact_id,
        invite.sent_at is not null and invite.bounced_at is null as accepted,
        invite.viewed_at is not null or answer.rank is not null or invite.used_on is not null as opened,
        answer.rank is not null or invite.used_on is not null as started,
        coalesce(answer.rank = 2, false) or invite.used_on is not null as complete,
        coalesce(answer.rank = 1, false) and invite.used_on is null as terminated
      from invite left join answer on answer.code = invite.code
      where invite.survey_id = ${surveyId} and invite.email is not null
        and (invite.sent_at is not null or invite.bounced_at is not null)
    ), list_outcome as (
      select list.id, list.name, outcome.*
      from outcome
      left join (
        contact_list_member as member join contact_list as list on list.id = member.list_id and list.owner_id = ${actor.id}
      ) on member.contact_id = outcome.contact_id
    )
    select 'all' as kind, null::bigint as id, null as name, ${STEPS} from outcome
    union all
    select 'collector', collector_id, null, ${STEPS} from outcome group by collector_id
    union all
    select 'list', id, name, ${STEPS} from list_outcome group by id, name`.execute(db)
  const lists = rows.filter(({ kind }) => kind === 'list')
  return {
    all: outcomesOf(rows.find(({ kind }) => kind === 'all')!),
    byCollector: new Map(rows.flatMap((row) => (row.kind === 'collector' ? [[row.id!, outcomesOf(row)]] : []))),
    byList: lists.some(({ id }) => id !== null)
      ? lists.sort(byName).map((row) => ({
          list: row.id === null ? null : { id: row.id, name: row.name ?? '' },
          outcomes: outcomesOf(row),
        }))
      : [],
  }
}

const STEPS = sql`count(*) as invited, count(*) filter (where accepted) as accepted,
  count(*) filter (where opened) as opened, count(*) filter (where started) as started,
  count(*) filter (where complete) as complete, count(*) filter (where terminated) as terminated`

/** Orders lists by name and ID. Recipients without a list come last. */
const byName = (a: StepRow, b: StepRow): number =>
  Number(a.id === null) - Number(b.id === null) ||
  (a.name ?? '').localeCompare(b.name ?? '') ||
  (a.id ?? 0) - (b.id ?? 0)

function outcomesOf({ invited, accepted, opened, started, complete, terminated }: Steps): InvitationOutcomes {
  const eligible = invited - terminated
  return {
    ...{ invited, accepted, opened, started, complete, terminated },
    responseRate: eligible > 0 ? percentage(complete, eligible) : null,
    responseRateWithPartial: eligible > 0 ? percentage(started - terminated, eligible) : null,
  }
}

/** The outcomes of a collector without invitations. */
export const NO_INVITATIONS: InvitationOutcomes = outcomesOf({
  invited: 0,
  accepted: 0,
  opened: 0,
  started: 0,
  complete: 0,
  terminated: 0,
})
