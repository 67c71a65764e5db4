import { describeInstallation } from '../../../domain/administration/installation.ts'
import { problems } from '../../../domain/problem.ts'
import type { Operations } from '../../../domain/services.ts'
import type { Finding } from '../../../lib/finding.ts'
import { type Html, html } from '../../../lib/html.ts'
import { PROGRAM_VERSION } from '../../../lib/program-version.ts'
import type { PrintedSetting } from '../../../lib/settings.ts'
import { csrfField } from '../../csrf.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { formatNumber, pluralize, timeTag } from '../../layout/format.ts'
import { keyFigures } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { fileSize } from '../../questions/files.ts'
import type { SignedInRequest } from '../../session.ts'
import { ADMINISTRATION_PATH } from './frame.ts'

/** @throws {Problem} `user_not_found` in a process that serves no administration */
function operationsOf({ context }: SignedInRequest): Operations {
  const { operations } = context.services
  if (!operations) throw problems.userNotFound()
  return operations
}

/** Shows the version, and what needs attention. */
export async function showInstallation(request: SignedInRequest): Promise<PageResult> {
  const { context, render } = request
  const { postgres, migration, users, waitingMessages, failedJobs, databaseBytes, backup } =
    await describeInstallation(context)
  const link = (path: string, text: string) => html`<a href="${ADMINISTRATION_PATH}${path}">${text}</a>`
  return render({
    title: t('Administration'),
    content: html`
      ${keyFigures([
        [t('Users'), link('users/', formatNumber(users)), null],
        [t('Messages that wait'), link('mail/', formatNumber(waitingMessages)), null],
        [t('Failed jobs'), link('jobs/', formatNumber(failedJobs)), t('in the last day')],
        [t('Database'), link('storage/', fileSize(databaseBytes, pageLanguage())), null],
      ])}
      <section class="card" aria-labelledby="version">
        <h2 id="version">Version</h2>
        <dl class="facts">
          <dt>Canvass</dt>
          <dd>${PROGRAM_VERSION}</dd>
          <dt>Running since</dt>
          <dd>${timeTag(operationsOf(request).startedAt)}</dd>
          <dt>PostgreSQL</dt>
          <dd>${postgres}</dd>
          <dt>Node.js</dt>
          <dd>${process.versions.node}</dd>
          <dt>Last migration</dt>
          <dd><code>${migration}</code></dd>
          <dt>Last backup</dt>
          <dd>${backup ? timeTag(backup) : t('never')}</dd>
          <dt>Address</dt>
          <dd>${context.services.baseUrl}</dd>
        </dl>
      </section>`,
  })
}

/** Shows the button that runs the checks: they take some seconds, and write a test object to the stores. */
export const showHealth = async (request: SignedInRequest): Promise<PageResult> => healthPage(request)

export const submitHealthCheck = async (request: SignedInRequest): Promise<PageResult> =>
  healthPage(request, await operationsOf(request).inspect())

const STATUS_LABELS: () => Readonly<Record<Finding['status'], Html>> = perLanguage(() => ({
  ok: html`<span class="tag good">${t('Good')}</span>`,
  warning: html`<span class="tag open">${t('Warning')}</span>`,
  error: html`<span class="tag bad">${t('Error')}</span>`,
}))

const ORDER = ['error', 'warning', 'ok'] as const

function healthPage({ csrf, render }: SignedInRequest, findings?: readonly Finding[]): PageResult {
  const count = (status: Finding['status']) => findings?.filter((finding) => finding.status === status).length ?? 0
  return render({
    title: t('Health'),
    content: html`
      <section class="card">
        <p class="soft">
          Checks settings, data folder, database, jobs, mail server, stores and the way from the public address to this
          server, as <code>canvass doctor</code> does. It takes some seconds.
        </p>
        <form method="post" action="${ADMINISTRATION_PATH}health/">
          ${csrfField(csrf)}
          <p class="below"><button class="primary">${findings ? t('Check again') : t('Check now')}</button></p>
        </form>
      </section>
      ${
        findings &&
        html`<section class="card" aria-labelledby="findings">
          <h2 id="findings">
            ${t('{checks}: {errors}, {warnings}', {
              checks: pluralize(findings.length, 'check'),
              errors: pluralize(count('error'), 'error'),
              warnings: pluralize(count('warning'), 'warning'),
            })}
          </h2>
          <ul class="rows">
            ${ORDER.flatMap((status) => findings.filter((finding) => finding.status === status)).map(
              ({ check, status, message, mend }) =>
                html`<li>
                  <div>
                    ${STATUS_LABELS()[status]} <code>${check}</code>
                    <p class="reason" lang="en">${message}</p>
                    ${mend && html`<p class="soft" lang="en">${mend}</p>`}
                  </div>
                </li>`,
            )}
          </ul>
        </section>`
      }`,
  })
}

const SOURCE_LABELS: () => Readonly<Record<PrintedSetting['source'], string>> = perLanguage(() => ({
  environment: t('environment'),
  file: t('file in DATA_DIR'),
  default: t('default'),
}))

/** Shows all settings with their sources. Secrets are masked. */
export async function showServerSettings(request: SignedInRequest): Promise<PageResult> {
  const { settings, errors } = operationsOf(request).describeSettings()
  const order = ['environment', 'file', 'default']
  const sorted = [...settings].sort((one, other) => order.indexOf(one.source) - order.indexOf(other.source))
  return request.render({
    title: t('Settings of the server'),
    content: html`
      <p class="soft">
        Settings are environment variables of the server, or lines of the file .env that starts it. They change when the
        server starts again. Secrets are not shown.
      </p>
      ${errors.map((error) => html`<p class="alert" lang="en">${error}</p>`)}
      <section class="card" aria-label="${t('Settings of the server')}">
        <table class="ledger">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            ${sorted.map(
              ({ name, meaning, source, value, unset }) =>
                html`<tr>
                  <th scope="row">
                    <code>${name}</code>
                    <p class="soft" lang="en">${meaning}${value === null && unset && ` ${unset}`}</p>
                  </th>
                  <td>${value === null ? html`<span class="soft">not set</span>` : html`<code>${value}</code>`}</td>
                  <td>${SOURCE_LABELS()[source]}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </section>`,
  })
}
