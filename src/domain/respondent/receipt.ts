import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { FieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { recordCorrection } from '../response/edit/history.ts'
import { removeRows } from '../response/edit/remove.ts'
import { eraseRemoved } from '../response/edit/trash.ts'
import { showsIdentity } from '../response/filter/identity.ts'
import { findResponseRecord, type ResponseRecord, saveAnswers } from '../response/submit/save.ts'
import { firstPage } from '../structure/flow.ts'
import type { Answers } from '../structure/questionnaire.ts'
import { answersOnPath } from '../structure/visibility.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { type PageDecision, type Submission, submitPage } from './page-submission.ts'

/** Digits and letters without similar ones (no I, L, O and U), as in Crockford's base 32. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARACTERS = 20
const GROUP = /.{5}(?!$)/g
/** A code has 100 bits: 60 authenticate it, and 40 are the encrypted id of the response. */
const ID_BITS = 40n
const MAC_BITS = 60n

const bitsOf = (secretKey: Buffer, text: string, bits: bigint): bigint =>
  digest(secretKey, text).readBigUInt64BE(0) >> (64n - bits)

const macOf = (secretKey: Buffer, surveyId: number, id: bigint): bigint =>
  bitsOf(secretKey, `receipt ${surveyId} ${id}`, MAC_BITS)

const maskOf = (secretKey: Buffer, surveyId: number, mac: bigint): bigint =>
  bitsOf(secretKey, `receipt mask ${surveyId} ${mac}`, ID_BITS)

/**
 * Returns the code with which a respondent sees, corrects and withdraws the own response. It is computed from the secret
 * key of the server and stored nowhere, so that neither the database nor the owner of the survey has it.
 */
export function receiptCode(secretKey: Buffer, surveyId: number, responseId: number): string {
  const id = BigInt(responseId)
  const mac = macOf(secretKey, surveyId, id)
  let rest = (mac << ID_BITS) | (id ^ maskOf(secretKey, surveyId, mac))
  let code = ''
  for (let index = 0; index < CODE_CHARACTERS; index++) {
    code = ALPHABET[Number(rest & 31n)]! + code
    rest >>= 5n
  }
  return code.replace(GROUP, '$&-')
}

/**
 * Returns the id of the response to which a typed code belongs; undefined if the code is wrong. Takes the same time for
 * every code of the right length.
 */
export function readReceiptCode(secretKey: Buffer, surveyId: number, typed: string): number | undefined {
  const code = typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  const digits = [...code].map((character) => ALPHABET.indexOf(character))
  if (digits.length !== CODE_CHARACTERS || digits.includes(-1)) return undefined
  const bits = digits.reduce((sum, digit) => (sum << 5n) | BigInt(digit), 0n)
  const mac = bits >> ID_BITS
  const id = (bits & ((1n << ID_BITS) - 1n)) ^ maskOf(secretKey, surveyId, mac)
  return isSame(mac, macOf(secretKey, surveyId, id)) ? Number(id) : undefined
}

function isSame(one: bigint, other: bigint): boolean {
  const [a, b] = [Buffer.alloc(8), Buffer.alloc(8)]
  a.writeBigUInt64BE(one)
  b.writeBigUInt64BE(other)
  return timingSafeEqual(a, b)
}

/** How long the final page shows the code. */
const SHOWN_MS = 3_600_000

/**
 * Returns the part of the address of the final page that lets it show the code. The owner of a survey can open the final
 * page with the key of the response, but does not have this part.
 */
export function receiptPass({ services, now }: PublicContext, key: Buffer): string {
  const expires = now.getTime() + SHOWN_MS
  return `${expires}-${passMac(services.secretKey, key, expires)}`
}

const passMac = (secretKey: Buffer, key: Buffer, expires: number): string =>
  digest(secretKey, `receipt pass ${key.toString('hex')} ${expires}`)
    .toString('hex')
    .slice(0, 32)

/** Returns whether the final page of a response shows the code. */
export function isReceiptPass({ services, now }: PublicContext, key: Buffer, pass: string | null): boolean {
  const [, time, mac] = /^(\d{1,15})-([0-9a-f]{32})$/.exec(pass ?? '') ?? []
  if (!time || !mac || Number(time) < now.getTime()) return false
  return timingSafeEqual(Buffer.from(mac), Buffer.from(passMac(services.secretKey, key, Number(time))))
}

/** Returns whether the respondent can use the code of a response: it has ended, and its collector gives receipts. */
export const hasReceipt = ({ collectors }: SurveySnapshot, { completed, collectorId }: ResponseRecord): boolean =>
  completed > 0 && collectors.get(collectorId)?.settings.receipt === true

/** Finds the response of a code. */
export async function findByReceipt(
  { em, services }: PublicContext,
  snapshot: SurveySnapshot,
  code: string,
): Promise<ResponseRecord | undefined> {
  const id = readReceiptCode(services.secretKey, snapshot.id, code)
  if (id === undefined) return undefined
  const stored = await findResponseRecord(em.getKysely<Tables>(), snapshot, { id }, false)
  return stored && hasReceipt(snapshot, stored) ? stored : undefined
}

/** A corrected response before it is stored. */
interface Correction {
  answers: Answers
  /** Errors in answers. If there are none and the walk has not ended, the answers made further questions visible. */
  errors: readonly FieldError[]
  end: PageDecision | undefined
}

/**
 * Walks the path of a survey with corrected answers, from the first page to the end or to the first page that is not
 * complete.
 * @param submissionOf returns what the form contains of a page
 */
export function walkCorrection(
  { questionnaire: q }: SurveySnapshot,
  stored: Answers,
  submissionOf: (page: number) => Submission,
  now: Date,
): Correction {
  let answers = stored
  let pagepath: string | null = null
  for (let page = firstPage(q, answers); ; ) {
    const decision = submitPage(q, { answers, pagepath }, submissionOf(page), now)
    answers = decision.answers
    pagepath = decision.change.pagepath ?? pagepath
    const { next } = decision
    if (next.to === 'end') return { answers, errors: [], end: decision }
    // A walk goes forward, so it ends after at most as many steps as there are pages.
    if (next.to !== 'page' || next.page <= page)
      return { answers, errors: next.to === 'again' ? next.errors : [], end: undefined }
    page = next.page
  }
}

/**
 * Stores the answers with which a respondent corrects the own response. The history of the response keeps the previous
 * ones, and says that the respondent has replaced them. Limits do not apply again.
 * @returns the correction; it is stored if it has an `end`
 * @throws {Problem} `response_not_found`
 */
export const correctResponse = (
  context: PublicContext,
  snapshot: SurveySnapshot,
  id: number,
  submissionOf: (page: number, stored: Answers) => Submission,
): Promise<Correction> =>
  context.em.transactional(async (em) => {
    const inner = { ...context, em }
    let correction: Correction | undefined
    await saveAnswers(inner, snapshot, { id }, async (stored) => {
      correction = walkCorrection(snapshot, stored.answers, (page) => submissionOf(page, stored.answers), context.now)
      const { end } = correction
      if (end?.next.to !== 'end') return undefined
      const answers = answersOnPath(snapshot.questionnaire, correction.answers)
      const cleared = Object.keys(stored.answers).filter((key) => !Object.hasOwn(answers, key))
      const { pagepath } = end.change
      const update = { answers, cleared, completed: end.next.completed, ...(pagepath && { pagepath }) }
      await recordCorrection(inner, snapshot, stored, update, showsIdentity(snapshot, stored.collectorId))
      return update
    })
    return correction!
  })

/**
 * Erases a response that its respondent withdraws, with its files and its history, and counts the withdrawal. It does
 * not go into the trash, from which the owner could restore it.
 * @throws {Problem} `response_not_found`
 */
export const withdrawResponse = (context: PublicContext, { id: surveyId }: SurveySnapshot, id: number): Promise<void> =>
  context.em.transactional(async (em) => {
    const db = em.getKysely<Tables>()
    const removed = await removeRows({ em, now: context.now }, surveyId, [id])
    if (removed.size === 0) throw problems.responseNotFound()
    await eraseRemoved(db, surveyId, id)
    await db
      .updateTable('survey')
      .set((eb) => ({ withdrawals: eb('withdrawals', '+', 1) }))
      .where('id', '=', surveyId)
      .execute()
  })
