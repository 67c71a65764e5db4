import { describeStorage, type StorageKind } from '../../../domain/administration/storage.ts'
import { html } from '../../../lib/html.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { formatNumber } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import { fileSize } from '../../questions/files.ts'
import type { SignedInRequest } from '../../session.ts'

const KIND_LABELS: () => Readonly<Record<StorageKind, string>> = perLanguage(() => ({
  responses: t('Responses'),
  files: t('Files and images'),
  statistics: t('Counts and reports'),
  surveys: t('Surveys'),
  email: t('Emails and invitations'),
  contacts: t('Contacts'),
  webhooks: t('Webhooks'),
  security_log: t('Activity'),
  accounts: t('Accounts'),
  jobs: t('Jobs'),
  other: t('Other'),
}))

const sizeOf = (bytes: number): string => fileSize(bytes, pageLanguage())

/** Shows how much space the data take, by kind. */
export async function showStorage({ context, render }: SignedInRequest): Promise<PageResult> {
  const { databaseBytes, kinds, files, isEstimated } = await describeStorage(context)
  const { store, maxMegabytes, megabytesPerAccount } = context.services.files
  return render({
    title: t('Storage'),
    content: html`
      <section class="card" aria-labelledby="database">
        <h2 id="database">Database</h2>
        <p>The database takes ${sizeOf(databaseBytes)}.</p>
        <table class="ledger">
            <thead>
              <tr>
                <th scope="col">Kind</th>
                <th scope="col">Size, with indexes</th>
                <th scope="col">Rows, about</th>
              </tr>
            </thead>
            <tbody>
              ${kinds.map(
                ({ kind, bytes, rows }) =>
                  html`<tr>
                    <td>${KIND_LABELS()[kind]}</td>
                    <td>${sizeOf(bytes)}</td>
                    <td>${rows === null ? t('unknown') : formatNumber(Math.round(rows))}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
      </section>
      <section class="card" aria-labelledby="files">
        <h2 id="files">Files and images</h2>
        <dl class="facts">
          ${files.map(
            ({ isInBucket, count, bytes }) =>
              html`<dt>${isInBucket ? t('In the bucket') : t('In the database')}</dt>
                <dd>
                  ${isEstimated ? t('about {number}', { number: formatNumber(count) }) : formatNumber(count)} ·
                  ${sizeOf(bytes)}
                </dd>`,
          )}
          <dt>New files are stored</dt>
          <dd>${store === undefined ? t('in the database') : html`in the bucket <code>${store}</code>`}</dd>
          <dt>Limit of a file</dt>
          <dd>${formatNumber(maxMegabytes)} MB</dd>
          <dt>Limit of an account</dt>
          <dd>${megabytesPerAccount > 0 ? html`${formatNumber(megabytesPerAccount)} MB` : t('none')}</dd>
        </dl>
      </section>`,
  })
}
