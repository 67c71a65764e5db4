import { type Text, t } from './authoring.ts'

// Scales with a label for each point, from the negative end to the positive end (of `LENGTH`: from too short to too
// long), with the same number of points on both sides of the middle.

export const SATISFACTION: readonly Text[] = [
  t(
    'Very dissatisfied',
    'Sehr unzufrieden',
    'Muy insatisfecho/a',
    'Très insatisfait(e)',
    'Molto insoddisfatto/a',
    'Zeer ontevreden',
    'Muito insatisfeito(a)',
  ),
  t(
    'Dissatisfied',
    'Unzufrieden',
    'Insatisfecho/a',
    'Insatisfait(e)',
    'Insoddisfatto/a',
    'Ontevreden',
    'Insatisfeito(a)',
  ),
  t(
    'Neither satisfied nor dissatisfied',
    'Weder zufrieden noch unzufrieden',
    'Ni satisfecho/a ni insatisfecho/a',
    'Ni satisfait(e) ni insatisfait(e)',
    'Né soddisfatto/a né insoddisfatto/a',
    'Niet tevreden, niet ontevreden',
    'Nem satisfeito(a) nem insatisfeito(a)',
  ),
  t('Satisfied', 'Zufrieden', 'Satisfecho/a', 'Satisfait(e)', 'Soddisfatto/a', 'Tevreden', 'Satisfeito(a)'),
  t(
    'Very satisfied',
    'Sehr zufrieden',
    'Muy satisfecho/a',
    'Très satisfait(e)',
    'Molto soddisfatto/a',
    'Zeer tevreden',
    'Muito satisfeito(a)',
  ),
]

export const AGREEMENT: readonly Text[] = [
  t(
    'Strongly disagree',
    'Stimme überhaupt nicht zu',
    'Totalmente en desacuerdo',
    'Pas du tout d’accord',
    'Per niente d’accordo',
    'Helemaal mee oneens',
    'Discordo totalmente',
  ),
  t('Disagree', 'Stimme nicht zu', 'En desacuerdo', 'Pas d’accord', 'Non d’accordo', 'Mee oneens', 'Discordo'),
  t(
    'Neither agree nor disagree',
    'Weder noch',
    'Ni de acuerdo ni en desacuerdo',
    'Ni d’accord ni pas d’accord',
    'Né d’accordo né in disaccordo',
    'Niet eens, niet oneens',
    'Nem concordo nem discordo',
  ),
  t('Agree', 'Stimme zu', 'De acuerdo', 'D’accord', 'D’accordo', 'Mee eens', 'Concordo'),
  t(
    'Strongly agree',
    'Stimme voll und ganz zu',
    'Totalmente de acuerdo',
    'Tout à fait d’accord',
    'Completamente d’accordo',
    'Helemaal mee eens',
    'Concordo totalmente',
  ),
]

export const QUALITY: readonly Text[] = [
  t('Very poor', 'Sehr schlecht', 'Muy mala', 'Très mauvais', 'Pessimo', 'Zeer slecht', 'Muito ruim'),
  t('Poor', 'Schlecht', 'Mala', 'Mauvais', 'Scarso', 'Slecht', 'Ruim'),
  t('Fair', 'Mittelmäßig', 'Regular', 'Moyen', 'Discreto', 'Redelijk', 'Regular'),
  t('Good', 'Gut', 'Buena', 'Bon', 'Buono', 'Goed', 'Bom'),
  t('Very good', 'Sehr gut', 'Muy buena', 'Très bon', 'Ottimo', 'Zeer goed', 'Muito bom'),
]

export const EASE: readonly Text[] = ['Very difficult', 'Difficult', 'Neither easy nor difficult', 'Easy', 'Very easy']

export const LENGTH: readonly Text[] = ['Much too short', 'Too short', 'About right', 'Too long', 'Much too long']
