import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import { toActor } from '../account/account.ts'
import { type LoginOrigin, throttled } from '../account/login-throttle.ts'
import type { Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import { Survey } from '../survey/survey.ts'
import { sharingPasswordOf } from './commands.ts'
import { Report } from './report.ts'

/** A report that anyone can open who has its URL and the password of the survey's shared reports. */
export interface SharedReport {
  report: Report
  survey: Survey
  password: string
}

const isSame = (actual: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Returns the token that identifies a shared report in its URL. If the URL contained only the ID, a person could find
 * other reports by trying consecutive IDs.
 */
const tokenOf = ({ secretKey }: Pick<Services, 'secretKey'>, id: number): string =>
  `${id}-${digest(secretKey, `shared report ${id}`).toString('base64url').slice(0, 22)}`

/** Returns the URL of a shared report. */
export const sharedReportUrl = (services: Pick<Services, 'secretKey' | 'baseUrl'>, id: number): string =>
  `${services.baseUrl}/reports/${tokenOf(services, id)}/`

/**
 * Finds a shared report by the token in its URL.
 * @throws {Problem} `report_not_found`, also for a report that is not shared
 */
export async function findSharedReport({ em, services }: PublicContext, token: string): Promise<SharedReport> {
  const id = Number(/^([1-9]\d{0,14})-/.exec(token)?.[1] ?? 0)
  if (!id || !isSame(token, tokenOf(services, id))) throw problems.reportNotFound()
  const report = await em.findOneOrFail(Report, id, { failHandler: problems.reportNotFound })
  const survey = await em.findOneOrFail(Survey, report.survey.id, { populate: ['owner'] })
  const password = sharingPasswordOf(services, survey)
  if (!password || survey.deletedAt) throw problems.reportNotFound()
  return { report, survey, password }
}

/**
 * Returns a token which proves that a person has entered the password. The token becomes invalid when the password
 * changes.
 */
export const passwordProof = ({ secretKey }: Pick<Services, 'secretKey'>, { survey, password }: SharedReport): string =>
  digest(secretKey, `reports of survey ${survey.id} ${password}`).toString('base64url')

/** Returns whether a token proves that a person has entered the current password. */
export const isValidProof = (services: Pick<Services, 'secretKey'>, shared: SharedReport, proof: string): boolean =>
  isSame(proof, passwordProof(services, shared))

/**
 * Checks the password of a shared report.
 * @returns the {@link passwordProof}; undefined for a wrong password
 * @throws {Problem} `too_many_attempts`
 */
export const verifySharedPassword = (
  context: PublicContext,
  shared: SharedReport,
  password: string,
  origin: LoginOrigin,
): Promise<string | undefined> =>
  throttled(context, `reports of survey ${shared.survey.id}`, origin, async () =>
    isSame(password, shared.password) ? passwordProof(context.services, shared) : undefined,
  )

/** Returns a context whose actor is the owner, for a guest. Use it only to read the shared report. */
export const ownerContext = (context: PublicContext, { survey }: SharedReport): Context => ({
  ...context,
  actor: toActor(survey.owner.getEntity()),
  isGuest: true,
})
