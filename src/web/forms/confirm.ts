import { html, type Part } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import type { PageResult } from '../page.ts'
import type { SignedInRequest } from '../session.ts'

/** A page that asks the user to confirm an action. */
export interface Confirmation {
  /** The heading, a question such as “Delete this survey?”. */
  title: string
  beforeHeading?: Part
  /** States the consequences. */
  text: Part
  /** More about the consequences, below `text`. */
  details?: Part
  /** Label of the button that runs the action. */
  button: string
  /** The address to which the form is submitted; by default, the address of the page. */
  action?: string
  /** Hidden fields of the form. */
  fields?: Readonly<Record<string, string | readonly string[]>>
  cancel: { label: string; path: string }
}

/** Renders a page that asks for confirmation before an action. */
export const confirmPage = (
  { render, csrf }: Pick<SignedInRequest, 'render' | 'csrf'>,
  { title, beforeHeading, text, details, button, action, fields = {}, cancel }: Confirmation,
): PageResult =>
  render({
    title,
    beforeHeading,
    content: html`<section class="card">
      <p>${text}</p>
      ${details}
      <form method="post"${action !== undefined && html` action="${action}"`} class="actions">
        ${csrfField(csrf)}
        ${Object.entries(fields).flatMap(([name, values]) =>
          [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
        )}
        <button class="danger">${button}</button>
        <a class="button plain" href="${cancel.path}">${cancel.label}</a>
      </form>
    </section>`,
  })
