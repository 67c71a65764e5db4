import { html, type Part } from '../../lib/html.ts'
import { csrfField } from '../layout/app-shell.ts'
import type { PageResult } from '../page.ts'
import type { SignedInRequest } from '../session.ts'

/** A question before something that cannot be undone. */
export interface Question {
  /** Ends with a question mark. */
  title: string
  above?: Part
  /** What will happen. */
  text: Part
  /** Does it. */
  button: string
  /** Where the form is sent; absent: to the address of the question. */
  action?: string
  /** What the form says beside that. */
  fields?: Readonly<Record<string, string>>
  /** Leaves everything as it is. */
  keep: { label: string; path: string }
}

/** The page that asks. It works without scripts: the answer is a form of its own. */
export const ask = (
  { render, csrf }: Pick<SignedInRequest, 'render' | 'csrf'>,
  { title, above, text, button, action, fields = {}, keep }: Question,
): PageResult =>
  render({
    title,
    above,
    content: html`<section class="card"><p>${text}</p>
<form method="post"${action !== undefined && html` action="${action}"`} class="actions">${csrfField(csrf)}${Object.entries(
      fields,
    ).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<button class="danger">${button}</button><a class="button plain" href="${keep.path}">${keep.label}</a></form></section>`,
  })
