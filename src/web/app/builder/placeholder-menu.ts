import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import { kindOf } from '../../../domain/structure/kinds.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { subjectsOf } from './rules.ts'
import { cardTitle } from './texts.ts'

/** The placeholders for the name and the email address of the invited person, with their labels. */
const INVITED = perLanguage(() => [
  { value: 'invite.name', label: t('Name of the invited person') },
  { value: 'invite.email', label: t('Email address of the invited person') },
])

/**
 * The form fields into which the buttons of the menu insert a placeholder, with the labels of the buttons. `ofHeading`
 * is the label if the question is a heading.
 */
const TARGETS = perLanguage(() => [
  { name: 'title', label: t('Insert into the question'), ofHeading: t('Insert into the heading') },
  { name: 'description', label: t('Insert into the description'), ofHeading: t('Insert into the text') },
])

/**
 * Renders a menu of placeholders for the texts of a question. When a respondent sees the text, each placeholder is
 * replaced with the answer to a question on an earlier page, with the value of a hidden field, or with the name or
 * email address of the invited person. In a browser without JavaScript, the buttons insert the placeholder at the end
 * of the text.
 */
export function placeholderMenu(structure: Structure, { id, idname }: StructureQuestion, code: string): Html {
  const isHeading = kindOf(idname) === 'section-separator'
  const { page } = findQuestion(structure, id)
  const answers = structure.form
    .flatMap(({ children }, index) =>
      children.filter((question) => index < page || kindOf(question.idname) === 'hidden-field'),
    )
    .filter((question) => question.id !== id && subjectsOf([question], code).some(({ name }) => name === question.id))
    .map((question) => ({
      value: question.id,
      label: t('Answer to “{value}”', { value: cardTitle(question, structure, code) }),
    }))
  return html`<details class="advanced placeholders"><summary>Insert an earlier answer or the name of the invited person</summary>${select(
    {
      name: 'placeholder',
      label: t('Value'),
      hint: t(
        'Each respondent sees their own answer, name or email address. You can insert answers to questions on earlier pages.',
      ),
      options: [...answers, ...INVITED()],
    },
  )}<div class="card-actions">${TARGETS().map(
    ({ name, label, ofHeading }) =>
      html`<button class="small" name="do" value="insert.${name}">${isHeading ? ofHeading : label}</button>`,
  )}</div></details>`
}

/**
 * Returns the fields of a form. If a button of the menu was pressed, inserts the placeholder into the field of this
 * button.
 */
export function insertPlaceholder(form: FormFields): FormFields {
  const target = TARGETS().find(({ name }) => formValue(form, 'do') === `insert.${name}`)?.name
  const name = formValue(form, 'placeholder')?.replace(/[{}|]/g, '')
  if (!target || !name) return form
  return { ...form, [target]: `${formValue(form, target) ?? ''} {{ ${name} }}`.trimStart() }
}
