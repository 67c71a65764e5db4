import { MAX_CODE_CHARACTERS } from '../../../domain/structure/code.ts'
import type { KnownKind } from '../../../domain/structure/kinds.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { errorSentence, type FieldErrorTexts, textArea } from '../../forms/field.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { capitalize } from '../../layout/pluralize.ts'
import { choicePicture } from './choice-picture.ts'
import type { EnteredItem } from './parse-question.ts'

interface ItemList {
  /** The prefix of the field names. */
  name: 'choice' | 'row'
  /** The noun for one item, such as `column`. */
  noun: ItemNoun
  items: readonly EnteredItem[]
  errors: FieldErrorTexts
  /** The question type, on which the options of a choice depend; undefined for rows, because a row has no options. */
  optionsOf?: KnownKind
}

/** The question types in which a choice can have a text field (“Other”). */
const TYPES_WITH_OTHER: ReadonlySet<KnownKind> = new Set([
  'single-choice',
  'multiple-choice',
  'dropdown-choice',
  'ranking',
])

/**
 * Returns the label of the option `exclusive` for a question type; undefined if the option has no effect in that type.
 */
function exclusiveLabel(kind: KnownKind): string | undefined {
  switch (kind) {
    case 'multiple-choice':
    case 'multiple-choice-grid':
    case 'image-choice':
      return t('Cannot be combined with other choices')
    case 'single-choice':
    case 'dropdown-choice':
      return t('Always at the end, even in random order')
    default:
      return undefined
  }
}

/** The kinds of items that a list can contain. */
export type ItemNoun = 'choice' | 'row' | 'column'

/**
 * Returns the labels for each kind of item: `one` names an item, `all` names the list, `add` is the label of the text
 * area that adds several items, and `addOne` is the label of the button that adds one item.
 */
export const NOUNS: () => Readonly<Record<ItemNoun, { one: string; all: string; add: string; addOne: string }>> =
  perLanguage(() => ({
    choice: { one: t('choice'), all: t('Choices'), add: t('Add choices'), addOne: t('Add a choice') },
    row: { one: t('row'), all: t('Rows'), add: t('Add rows'), addOne: t('Add a row') },
    column: { one: t('column'), all: t('Columns'), add: t('Add columns'), addOne: t('Add a column') },
  }))

/**
 * Renders the list of choices, rows or columns. Each item has a label and buttons. A text area below the list adds
 * items.
 */
export function itemList({ name, noun, items, errors, optionsOf }: ItemList): Html {
  const key = name === 'choice' ? 'choices' : 'rows'
  const error = errors.get(key)
  return html`<fieldset class="items" id="${key}" data-list="${name}" data-noun="${NOUNS()[noun].one}" data-add="${NOUNS()[noun].addOne}"><legend>${NOUNS()[noun].all}</legend>${
    error !== undefined && html`<p class="error">${errorSentence(NOUNS()[noun].all, error)}</p>`
  }<ol>${items.map((item, index) => itemRow(item, index, items.length, { name, noun, errors, optionsOf }))}</ol>
${textArea({ name: `${name}.new`, label: NOUNS()[noun].add, hint: t('One per line.'), prose: true, rows: 2, value: '' })}</fieldset>`
}

function itemRow(
  item: EnteredItem,
  index: number,
  count: number,
  { name, noun, errors, optionsOf }: Omit<ItemList, 'items'>,
): Html {
  const { uid, label } = item
  const prefix = `${name}.${index}`
  const button = (action: string, text: string, disabled = false) =>
    html`<button class="quiet small" name="do" value="${action}.${prefix}"${disabled && html` disabled`}>${text}<span class="hidden"> ${NOUNS()[noun].one} ${index + 1}</span></button>`
  return html`<li><input type="hidden" name="${prefix}.uid" value="${uid}"><label class="hidden" for="${prefix}">${capitalize(NOUNS()[noun].one)} ${index + 1}</label><input class="box" id="${prefix}" name="${prefix}.label" value="${label}" autocomplete="off">
<div class="item-actions">${button('up', t('Up'), index === 0)}${button('down', t('Down'), index === count - 1)}${button('remove', t('Remove'))}</div>${
    optionsOf && detailsOf(prefix, item, `${NOUNS()[noun].one} ${index + 1}`, optionsOf, errors)
  }</li>`
}

function detailsOf(
  prefix: string,
  { score, other, exclusive, code = '', image }: EnteredItem,
  of: string,
  kind: KnownKind,
  errors: FieldErrorTexts,
): Part {
  const box = (member: string, label: string, ticked: boolean) =>
    html`<label class="inline"><input type="checkbox" name="${prefix}.${member}" value="on"${ticked && html` checked`}> ${label}<span class="hidden"> (${of})</span></label>`
  const withImage = kind === 'image-choice'
  const isSet = withImage || other || exclusive || score !== '' || code !== ''
  // An option that is set is also shown for a question type in which it has no effect, so that authors can remove it.
  const exclusiveText = exclusiveLabel(kind) ?? (exclusive ? t('Cannot be combined with other choices') : undefined)
  return html`<details class="item-details"${isSet && html` open`}><summary>Options<span class="hidden"> of ${of}</span></summary><div>${withImage && choicePicture(prefix, image, of, errors)}${(TYPES_WITH_OTHER.has(kind) || other) && box('other', t('With a text field (“Other”)'), other)}${exclusiveText !== undefined && box('exclusive', exclusiveText, exclusive)}<label class="inline">Score<span class="hidden"> (${of})</span> <input class="box short" name="${prefix}.score" value="${score}" inputmode="decimal"></label><label class="inline">Code<span class="hidden"> (${of})</span> <input class="box short" name="${prefix}.code" value="${code}" maxlength="${MAX_CODE_CHARACTERS}" autocomplete="off" autocapitalize="none"></label></div></details>`
}
