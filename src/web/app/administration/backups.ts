import { listBackupRuns, startBackup } from '../../../domain/administration/backups.ts'
import type { Operations } from '../../../domain/services.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { ADMINISTRATION_PATH } from './frame.ts'

const BACKUPS_PATH = `${ADMINISTRATION_PATH}backups/`

/** Shows the schedule, the last backups, and the backups that are stored. */
export async function showBackups({ context, csrf, render }: SignedInRequest): Promise<PageResult> {
  const { runs, isUnderWay } = await listBackupRuns(context)
  const backups = context.services.operations?.backups
  const verified = runs.find(({ error }) => error === null)
  return render({
    title: t('Backups'),
    content: html`
      <section class="card" aria-labelledby="schedule">
        <h2 id="schedule">Schedule</h2>
        ${
          backups
            ? html`
              <dl class="facts">
                <dt>To</dt>
                <dd><code>${backups.to}</code></dd>
                <dt>Times (UTC, cron)</dt>
                <dd><code>${backups.schedule}</code></dd>
                <dt>Kept</dt>
                <dd>${backups.keep > 0 ? t('the newest {number}', { number: backups.keep }) : t('all')}</dd>
                <dt>Last verified</dt>
                <dd>${verified ? timeTag(verified.endedAt) : t('never')}</dd>
              </dl>
              ${
                isUnderWay
                  ? html`<p class="notice" role="status">A backup is waiting or running.</p>`
                  : html`<form method="post" action="${BACKUPS_PATH}">
                    ${csrfField(csrf)}
                    <p class="below"><button>Back up now</button></p>
                  </form>`
              }`
            : html`<p class="notice">
              No backups are scheduled. Set BACKUP_TO and BACKUP_SCHEDULE, or run <code>canvass backup</code>.
            </p>`
        }
      </section>
      <section class="card" aria-labelledby="runs">
        <h2 id="runs">Last backups</h2>
        <p class="soft">A backup succeeds when it is stored, and was read again and verified.</p>
        ${
          runs.length === 0
            ? html`<p>None yet.</p>`
            : html`<ul class="rows">
              ${runs.map(
                ({ startedAt, error }) =>
                  html`<li>
                    <div>
                      ${timeTag(startedAt)} ${
                        error === null
                          ? html`<span class="tag good">Verified</span>`
                          : html`<span class="tag bad">Failed</span>`
                      }
                      ${error !== null && html`<p class="reason" lang="en">${error}</p>`}
                    </div>
                  </li>`,
              )}
            </ul>`
        }
      </section>
      ${backups && (await storedView(backups))}`,
  })
}

async function storedView({ list }: NonNullable<Operations['backups']>): Promise<Html> {
  return html`<section class="card" aria-labelledby="stored">
    <h2 id="stored">Stored backups</h2>
    ${await listView(list)}
  </section>`
}

async function listView(list: () => Promise<string[]>): Promise<Part> {
  try {
    const names = await list()
    if (names.length === 0) return html`<p>None yet.</p>`
    return html`<ul class="rows tight">${names.map((name) => html`<li><code>${name}</code></li>`)}</ul>`
  } catch (error) {
    return html`<div class="alert" role="alert">
      <p>The list cannot be read.</p>
      <p lang="en">${(error as Error).message}</p>
    </div>`
  }
}

export async function submitBackup(request: SignedInRequest): Promise<PageResult> {
  const isStarted = await request.write(startBackup)
  request.flash(isStarted ? t('The backup starts now.') : t('A backup is waiting or running already.'))
  return { redirect: BACKUPS_PATH }
}
