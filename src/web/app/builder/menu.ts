import { type Html, html } from '../../../lib/html.ts'
import type { SurveyRequest } from '../surveys/frame.ts'

const pages = [
  { name: 'structure', label: 'Structure', path: 'edit/', demand: ['Edit', 'Test'] },
  { name: 'versions', label: 'Versions', path: 'edit/versions/', demand: 'Edit' },
  { name: 'settings', label: 'Settings', path: 'edit/settings/', demand: 'Edit' },
] as const
export type EditPage = (typeof pages)[number]['name']

/**
 * The pages under "Edit", beside the heading.
 * @param inside the page shown belongs to the current one, and is not it
 */
export const editMenu = ({ root, may }: SurveyRequest, current: EditPage, inside = false): Html =>
  html`<nav class="menu" aria-label="Edit"><ul>${pages
    .filter(({ demand }) => may(demand))
    .map(
      ({ name, label, path }) =>
        html`<li><a href="${root}${path}"${name === current && html` aria-current="${inside ? 'true' : 'page'}"`}>${label}</a></li>`,
    )}</ul></nav>`
