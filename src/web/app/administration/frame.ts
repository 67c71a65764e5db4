import { type Html, html } from '../../../lib/html.ts'
import { errorView, NOT_FOUND } from '../../errors/error-page.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInPage, SignedInRequest } from '../../session.ts'

export const ADMINISTRATION_PATH = '/administration/'

/** The pages of the administration, in the order of the side list. */
const PARTS = perLanguage(
  () =>
    [
      { name: 'installation', label: t('Overview'), path: '' },
      { name: 'users', label: t('Users'), path: 'users/' },
      { name: 'mail', label: t('Mail'), path: 'mail/' },
      { name: 'jobs', label: t('Jobs'), path: 'jobs/' },
      { name: 'storage', label: t('Storage'), path: 'storage/' },
      { name: 'backups', label: t('Backups'), path: 'backups/' },
      { name: 'health', label: t('Health'), path: 'health/' },
      { name: 'settings', label: t('Settings'), path: 'settings/' },
      { name: 'activity', label: t('Activity'), path: 'activity/' },
    ] as const,
)
export type Part = ReturnType<typeof PARTS>[number]['name']

/** Renders a page that does not exist, for everyone who is not an administrator. */
const notFoundPage = ({ render }: SignedInRequest): PageResult => {
  const { title, ...error } = NOT_FOUND()
  return render({ title, content: html`<section class="card">${errorView(error)}</section>` }, 404)
}

const sideList = (current: Part): Html =>
  html`<nav class="side-list" aria-label="Administration">
    <ul>
      ${PARTS().map(
        ({ name, label, path }) =>
          html`<li>
            <a href="${ADMINISTRATION_PATH}${path}"${name === current && html` aria-current="page"`}>${label}</a>
          </li>`,
      )}
    </ul>
  </nav>`

/**
 * Converts a page of the administration to a page function, which shows the list of the pages beside the page. For
 * everyone who is not an administrator, the page does not exist.
 */
export const administrationPage =
  (part: Part, page: SignedInPage): SignedInPage =>
  async (request) => {
    if (!request.session.isAdministrator) return notFoundPage(request)
    return page({
      ...request,
      render: ({ content, ...shown }, status) =>
        request.render(
          { ...shown, content: html`<div class="with-side">${sideList(part)}<div>${content}</div></div>` },
          status,
        ),
    })
  }
