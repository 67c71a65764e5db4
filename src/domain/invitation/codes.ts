import { defineEntity, p } from '@mikro-orm/core'
import { sql } from 'kysely'
import { randomCode } from '../../lib/secrets.ts'
import { CollectorSchema } from '../collector/collector.ts'
import { ContactSchema } from '../contact/contact.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { summariseSurvey } from '../survey/queries.ts'
import { SurveySchema } from '../survey/survey.ts'
import type { Tables } from '../tables.ts'
import { collectorIn, inviteUrl } from './queries.ts'

export const InviteSchema = defineEntity({
  name: 'Invite',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade'),
    /** The collector of the response. A survey URL with a code therefore needs no parameter `collector`. */
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade'),
    /** The invited contact; null: a code without a recipient, or a deleted contact. */
    contact: () => p.manyToOne(ContactSchema).ref().deleteRule('set null').nullable().index(),
    code: p.text(),
    /**
     * The email address and name that the contact had when the invitation was created. Both are also stored in the
     * response.
     */
    email: p.text().nullable(),
    name: p.text().nullable(),
    createdAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    viewedAt: p.datetime().nullable(),
    bouncedAt: p.datetime().nullable(),
    /** Only for anonymous responses: the day of use, instead of a reference to the response. */
    usedOn: p.date().nullable(),
  },
  uniques: [{ name: 'invite_survey_code_key', properties: ['survey', 'code'] }],
  indexes: [
    { name: 'invite_survey_id_idx', properties: ['survey', 'id'] },
    { name: 'invite_collector_id_idx', properties: ['collector', 'id'] },
    {
      name: 'invite_collector_contact_key',
      expression:
        'create unique index invite_collector_contact_key on invite (collector_id, contact_id) where contact_id is not null',
    },
  ],
})

/** A code that opens a survey through one of its collectors and identifies the invited person. */
class Invite extends InviteSchema.class {}
InviteSchema.setClass(Invite)

/** The maximum number of codes per request (docs/specification.md 2.9). */
export const MAX_CODES = 1000
/** Length of a code in characters. A code has about 46 bits, and rate limits protect it against guessing. */
export const CODE_LENGTH = 8

export interface NewCode {
  id: number
  code: string
  url: string
  collectorId: number
}

/** Returns random codes. The caller replaces a code that already exists in the survey. */
export const randomCodes = (count: number): string[] => Array.from({ length: count }, () => randomCode(CODE_LENGTH))

/**
 * Creates invite codes for a survey. The codes have no recipients.
 * @param draft.collector absent: the default collector
 * @throws {Problem} `invalid_request` for a count outside 1 to 1000, `survey_not_found`, `collector_not_found`
 */
export async function createCodes(
  context: Context,
  surveyId: number,
  { count, collector }: { count: number; collector?: number | undefined },
): Promise<NewCode[]> {
  if (!Number.isInteger(count) || count < 1 || count > MAX_CODES)
    throw problems.invalidField('count', 'missing_parameter', {}, `must be a whole number from 1 to ${MAX_CODES}`)
  const survey = await summariseSurvey(context, surveyId, 'Deploy')
  const collectorId = await collectorIn(context, surveyId, collector)
  const created: NewCode[] = []
  while (created.length < count) {
    const rows = await insertCodes(context, surveyId, collectorId, randomCodes(count - created.length))
    for (const { id, code } of rows)
      created.push({ id, code, collectorId, url: inviteUrl(context.services.baseUrl, survey, code) })
  }
  return created
}

/** Inserts codes in one statement; codes that already exist in the survey are skipped. */
const insertCodes = ({ em, now }: Context, surveyId: number, collectorId: number, codes: readonly string[]) =>
  em
    .getKysely<Tables>()
    .insertInto('invite')
    .columns(['survey_id', 'collector_id', 'code', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom(sql<{ code: string }>`unnest(${codes}::text[])`.as<'codes'>(sql`codes(code)`))
        .select((inner) => [
          sql<number>`${surveyId}::bigint`.as('survey_id'),
          sql<number>`${collectorId}::bigint`.as('collector_id'),
          inner.ref('codes.code').as('code'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
        ]),
    )
    .onConflict((conflict) => conflict.columns(['survey_id', 'code']).doNothing())
    .returning(['id', 'code'])
    .execute()
