import { type Html, html, type Part } from '../../../lib/html.ts'
import { errorSentence, type FieldErrorTexts, textArea } from '../../forms/field.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { capitalize } from '../../layout/pluralize.ts'
import { choicePicture } from './choice-picture.ts'
import type { EnteredItem } from './parse-question.ts'

interface ItemList {
  /** The beginning of the field names. */
  name: 'choice' | 'row'
  /** The name of one item, such as `column`. */
  noun: ItemNoun
  items: readonly EnteredItem[]
  errors: FieldErrorTexts
  /** Whether the items have a score, and can be exclusive or have a text field. */
  withDetails?: boolean
  /** Whether the items have an image instead of a text field. */
  withImages?: boolean
}

/** What a list contains. */
export type ItemNoun = 'choice' | 'row' | 'column'

/** The names of an entry, of all entries, and of the controls that add some. */
export const NOUNS: () => Readonly<Record<ItemNoun, { one: string; all: string; add: string; addOne: string }>> =
  perLanguage(() => ({
    choice: { one: t('choice'), all: t('Choices'), add: t('Add choices'), addOne: t('Add a choice') },
    row: { one: t('row'), all: t('Rows'), add: t('Add rows'), addOne: t('Add a row') },
    column: { one: t('column'), all: t('Columns'), add: t('Add columns'), addOne: t('Add a column') },
  }))

/** Renders choices, rows or columns: each with its label and buttons, and a text area for more. */
export function itemList({ name, noun, items, errors, withDetails = false, withImages = false }: ItemList): Html {
  const key = name === 'choice' ? 'choices' : 'rows'
  const error = errors.get(key)
  return html`<fieldset class="items" id="${key}" data-list="${name}" data-noun="${NOUNS()[noun].one}" data-add="${NOUNS()[noun].addOne}"><legend>${NOUNS()[noun].all}</legend>${
    error !== undefined && html`<p class="error">${errorSentence(NOUNS()[noun].all, error)}</p>`
  }<ol>${items.map((item, index) => itemRow(item, index, items.length, { name, noun, errors, withDetails, withImages }))}</ol>
${textArea({ name: `${name}.new`, label: NOUNS()[noun].add, hint: t('One per line.'), prose: true, rows: 2, value: '' })}</fieldset>`
}

function itemRow(
  item: EnteredItem,
  index: number,
  count: number,
  { name, noun, errors, withDetails, withImages }: Required<Omit<ItemList, 'items'>>,
): Html {
  const { uid, label } = item
  const prefix = `${name}.${index}`
  const button = (action: string, text: string, disabled = false) =>
    html`<button class="quiet small" name="do" value="${action}.${prefix}"${disabled && html` disabled`}>${text}<span class="hidden"> ${NOUNS()[noun].one} ${index + 1}</span></button>`
  return html`<li><input type="hidden" name="${prefix}.uid" value="${uid}"><label class="hidden" for="${prefix}">${capitalize(NOUNS()[noun].one)} ${index + 1}</label><input class="box" id="${prefix}" name="${prefix}.label" value="${label}" autocomplete="off">
<div class="item-actions">${button('up', t('Up'), index === 0)}${button('down', t('Down'), index === count - 1)}${button('remove', t('Remove'))}</div>${
    withDetails && detailsOf(prefix, item, `${NOUNS()[noun].one} ${index + 1}`, withImages ? errors : undefined)
  }</li>`
}

function detailsOf(
  prefix: string,
  { score, other, exclusive, image }: EnteredItem,
  of: string,
  imageErrors: FieldErrorTexts | undefined,
): Part {
  const box = (member: string, label: string, ticked: boolean) =>
    html`<label class="inline"><input type="checkbox" name="${prefix}.${member}" value="on"${ticked && html` checked`}> ${label}<span class="hidden"> (${of})</span></label>`
  const isSet = imageErrors !== undefined || other || exclusive || score !== ''
  return html`<details class="item-details"${isSet && html` open`}><summary>Options<span class="hidden"> of ${of}</span></summary><div>${imageErrors ? choicePicture(prefix, image, of, imageErrors) : box('other', t('With a text field (“Other”)'), other)}${box('exclusive', t('Cannot be combined with others'), exclusive)}<label class="inline">Score<span class="hidden"> (${of})</span> <input class="box short" name="${prefix}.score" value="${score}" inputmode="decimal"></label></div></details>`
}
