import {
  type FailedJob,
  listFailedJobs,
  listQueues,
  retryJob,
  workerSeenAt,
} from '../../../domain/administration/jobs.ts'
import type { JobName } from '../../../domain/jobs.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { formatNumber, pluralize, timeTag } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { ADMINISTRATION_PATH } from './frame.ts'

const JOBS_PATH = `${ADMINISTRATION_PATH}jobs/`

/** What each job does. */
const JOB_LABELS: () => Readonly<Record<JobName, string>> = perLanguage(() => ({
  'apply-coding-rules': t('Put text answers into categories'),
  'back-up': t('Back up the database'),
  'delete-file-objects': t('Delete files from the bucket'),
  'enqueue-notifications': t('Look for new responses to report'),
  'mark-used-invites': t('Record used invitations'),
  'purge-expired-credentials': t('Delete what has expired'),
  'purge-webhook-deliveries': t('Delete old webhook deliveries'),
  'read-bounces': t('Read returned mail'),
  'refresh-rollups': t('Count responses'),
  'request-password': t('Prepare a link for a new password'),
  'send-email': t('Send invitations'),
  'send-notification': t('Report new responses by email'),
  'send-reminders': t('Send reminders'),
  'send-system-email': t('Send an email about an account'),
  'send-test-email': t('Send a test of an invitation'),
  'sweep-orphans': t('Delete the rest of deleted surveys'),
}))

/** Shows the queues, and the jobs that failed. */
export async function showJobs(request: SignedInRequest): Promise<PageResult> {
  const { context } = request
  const queues = await listQueues(context)
  const failed = await listFailedJobs(context)
  const seenAt = await workerSeenAt(context)
  return request.render({
    title: t('Jobs'),
    content: html`
      <section class="card" aria-labelledby="queues">
        <h2 id="queues">Queues</h2>
        <p class="soft">
          ${
            seenAt
              ? html`A worker last ran at ${timeTag(seenAt)}.`
              : t('No worker has run yet: emails and webhooks wait.')
          }
        </p>
        ${
          queues.length === 0
            ? html`<p>No jobs are waiting or running.</p>`
            : html`<table class="ledger">
                <thead>
                  <tr>
                    <th scope="col">Job</th>
                    <th scope="col">Waiting</th>
                    <th scope="col">Running</th>
                    <th scope="col">Failed</th>
                    <th scope="col" class="wide">Due since</th>
                    <th scope="col" class="wide">For later</th>
                  </tr>
                </thead>
                <tbody>
                  ${queues.map(
                    ({ name, waiting, running, failed: count, oldest, later }) =>
                      html`<tr>
                        <td>${JOB_LABELS()[name]}</td>
                        <td>${formatNumber(waiting)}</td>
                        <td>${formatNumber(running)}</td>
                        <td>${count > 0 ? html`<span class="tag bad">${formatNumber(count)}</span>` : '0'}</td>
                        <td class="wide">${oldest && timeTag(oldest)}</td>
                        <td class="wide">${formatNumber(later)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>`
        }
      </section>
      ${failedView(failed, request.csrf)}`,
  })
}

/** Renders the jobs that failed for the last time, with a button for each. */
export const failedView = (jobs: readonly FailedJob[], csrf: string): Html =>
  html`<section class="card" aria-labelledby="failed">
    <h2 id="failed">Failed</h2>
    ${
      jobs.length === 0
        ? html`<p class="soft">No job has failed in the last day.</p>`
        : html`<ul class="rows sides">${jobs.map((job) => jobView(job, csrf))}</ul>`
    }
  </section>`

const jobView = ({ id, name, failedAt, attempts, reason }: FailedJob, csrf: string): Part =>
  html`<li>
    <div class="grow">
      <strong>${JOB_LABELS()[name]}</strong>
      <p class="soft">${timeTag(failedAt)}, ${pluralize(attempts, 'attempt')}</p>
      ${reason && html`<p class="reason" lang="en">${reason}</p>`}
    </div>
    <form method="post" action="${JOBS_PATH}${id}/">
      ${csrfField(csrf)}
      <button class="small" aria-label="Try again: ${JOB_LABELS()[name]}">Try again</button>
    </form>
  </li>`

export async function submitJobRetry(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => retryJob(context, request.params.job ?? ''))
  request.flash(t('The job is tried again.'))
  return { redirect: JOBS_PATH }
}
