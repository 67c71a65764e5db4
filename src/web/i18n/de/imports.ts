import type { Catalog } from '../catalog.ts'

/** Texts of JSON syntax errors. */
export const syntax: Catalog['syntax'] = {
  InvalidSymbol: 'Ungültiger Wert. Texte müssen in doppelten Anführungszeichen stehen.',
  InvalidNumberFormat: 'Ungültige Zahl.',
  PropertyNameExpected:
    'Hier fehlt ein Element der Form "name": Wert. Entfernen Sie das Komma nach dem letzten Element.',
  ValueExpected: 'Hier fehlt ein Wert. Entfernen Sie das Komma nach dem letzten Wert.',
  ColonExpected: 'Hier fehlt ein Doppelpunkt.',
  CommaExpected: 'Davor fehlt ein Komma.',
  CloseBraceExpected: 'Hier fehlt eine schließende }.',
  CloseBracketExpected: 'Hier fehlt eine schließende ].',
  EndOfFileExpected: 'Davor müsste der Text enden.',
  InvalidCommentToken: 'Kommentare sind in JSON nicht erlaubt.',
  UnexpectedEndOfString: 'Hier fehlt ein schließendes Anführungszeichen.',
  UnexpectedEndOfNumber: 'Die Zahl ist unvollständig.',
  InvalidUnicode: 'Auf \\u müssen vier hexadezimale Ziffern folgen.',
  InvalidEscapeCharacter: 'Auf \\ muss eines dieser Zeichen folgen: " \\ / b f n r t u.',
  InvalidCharacter: 'Schreiben Sie dieses Zeichen als \\n, \\t oder als \\u mit vier hexadezimalen Ziffern.',
  Depth: 'Die Struktur darf höchstens {max} Ebenen tief verschachtelt sein.',
  Values: 'Die Struktur darf höchstens {max} Werte enthalten.',
  DuplicateMember: 'Das Element "{name}" kommt doppelt vor. Entfernen Sie eines davon, oder benennen Sie es um.',
  Other: 'Dies ist kein JSON: {reason}',
}

/** Texts of warnings about probable mistakes in structures, and about removals that affect stored answers. */
export const warnings: Catalog['warnings'] = {
  unknown_member: '„{name}“ hat keine Wirkung.',
  unknown_question_type: '„{name}“ ist kein bekannter Fragetyp. Befragte sehen nur Titel und Beschreibung der Frage.',
  piped_on_same_page:
    '„{name}“ ist noch nicht beantwortet, wenn diese Seite gezeigt wird. Verschieben Sie die Frage auf eine frühere Seite, oder fügen Sie einen Standardwert hinzu: {{ {name} | default: "text" }}.',
  reserved_id:
    '„{name}“ ist ein Parameter von Umfrageadressen. Keine Adresse kann diese Frage ausfüllen. Wählen Sie einen anderen Namen.',
  choice_never_shown:
    '„{name}“ kann nie gezeigt werden, weil keine Antwort auf die früheren Fragen zu den Merkmalen passt.',
  score_order:
    'Die Antworten behalten ihre Punktwerte, die nicht mehr der Reihenfolge folgen. Geben Sie für jede Antwort einen Punktwert an, wenn Sie das nicht möchten.',
  no_questions: 'Die Umfrage hat keine Frage, die Befragte beantworten können.',
  untitled_question: 'Die Frage hat keinen Text. Schreiben Sie, was gefragt wird.',
  default_choice: '„{name}“ ist die Beschriftung einer neuen Möglichkeit. Schreiben Sie, was Befragte lesen sollen.',
  untranslated_text: '„{name}“ ist nicht in {language} übersetzt.',
  missing_system_texts:
    'Canvass hat keine Schaltflächen und Meldungen in {language}. Befragte sehen sie auf Englisch, wenn Sie sie nicht selbst schreiben.',
  unreachable_page:
    'Niemand kann diese Seite erreichen. Jeder Weg mit den Antworten, die sie braucht, endet vorher oder überspringt sie.',
  unreachable_question: 'Niemand kann diese Frage sehen: Auf dieser Seite hat niemand die Antworten, die sie braucht.',
  unreachable_skip:
    'Dieser Sprung wird nie ausgeführt: Niemand, der diese Seite verlässt, hat die Antworten, die er braucht.',
  contradictory_rules: 'Keine Antworten erfüllen alle diese Regeln zugleich.',
  answered_question_removed:
    '„{title}“ wurde entfernt, hat aber {answers}. Sie bleiben erhalten und erscheinen wieder, wenn Sie eine Frage mit der ID „{id}“ hinzufügen.',
  answered_question_type_changed:
    'Der Typ von „{title}“ wurde von {from} zu {to} geändert. Vorhandene Angaben ({answers}) sind vielleicht nicht mehr gültig.',
  answered_choice_removed:
    '„{name}“ wurde aus „{title}“ entfernt, hat aber {answers}. Die Beschriftung bleibt dort erhalten, die Position nicht.',
}

export const warningsWithSuggestion: Catalog['warningsWithSuggestion'] = {
  unknown_member: '„{name}“ hat keine Wirkung. Meinten Sie „{suggestion}“?',
  unknown_question_type:
    '„{name}“ ist kein bekannter Fragetyp. Befragte sehen nur Titel und Beschreibung der Frage. Meinten Sie „{suggestion}“?',
}

/** Texts that state what was left out or changed when an XLSForm was converted. */
export const issues: Catalog['issues'] = {
  sheet_ignored: 'Das Blatt hat in Canvass keine Entsprechung und wurde ausgelassen.',
  column_ignored: 'Die Spalte hat in Canvass keine Entsprechung und wurde ausgelassen.',
  setting_ignored: 'Die Einstellung hat in Canvass keine Entsprechung und wurde ausgelassen.',
  appearance_ignored: 'Die Darstellung oder der Parameter hat in Canvass keine Entsprechung und wurde ausgelassen.',
  row_ignored: 'Die Zeile hat keinen Typ. Sie wurde ausgelassen.',
  type_not_supported: 'Der Typ der Zeile hat in Canvass keine Entsprechung. Die Zeile wurde ausgelassen.',
  type_replaced:
    'Der Typ der Zeile hat in Canvass keine Entsprechung. Die Frage hat einen ähnlichen Typ. Prüfen Sie sie.',
  repeat_not_supported: 'Die Fragen einer Wiederholung (repeat) werden einmal gestellt.',
  group_not_closed:
    'Eine Gruppe hat kein Ende, oder ein Ende gehört zu keiner Gruppe. Prüfen Sie die Reihenfolge der Fragen.',
  name_changed:
    'Die Antworten haben eine andere ID als der Name der Zeile: Er fehlt, ist reserviert oder kommt doppelt vor, oder die Frage wurde zur Zeile einer Matrix.',
  reserved_id:
    'Der Name der Zeile ist ein Parameter von Umfrageadressen. Keine Adresse kann diese Frage ausfüllen. Wählen Sie eine andere ID.',
  label_missing: 'Die Frage hat keine Beschriftung. Ihr Name ist ihr Titel. Schreiben Sie einen Titel.',
  list_not_found: 'Die Liste der Auswahlmöglichkeiten gibt es nicht. Die Zeile wurde ausgelassen.',
  list_too_long: 'Die Liste hat zu viele Auswahlmöglichkeiten. Die weiteren wurden ausgelassen.',
  code_changed:
    'Der Name der Auswahlmöglichkeit kommt in ihrer Liste doppelt vor oder ist zu lang. Sie hat einen anderen Code.',
  required_removed: 'Die Frage ist freiwillig, weil ihre Bedingung nicht übernommen werden kann.',
  formatting_removed: 'HTML oder Markdown wurde entfernt, denn die Texte einer Umfrage sind reiner Text.',
  expression_not_supported: 'Der Ausdruck kann nicht übernommen werden. Die Regel wurde ausgelassen.',
  expression_simplified: 'Der Ausdruck wurde durch eine ähnliche Regel ersetzt. Prüfen Sie sie.',
  calculation_not_supported: 'Die Berechnung kann nicht übernommen werden. Die Zeile wurde ausgelassen.',
  reference_not_found: 'Ein Text verweist auf eine Frage, die nicht in der Umfrage ist. Der Verweis wurde entfernt.',
  language_assumed:
    'Das Formular nennt keine Sprache. Die Umfrage gilt als englisch. Ändern Sie die Sprache im Editor.',
  language_unknown: 'Der Name der Sprache ist nicht bekannt. Ihre Texte haben einen erfundenen Sprachcode.',
  too_many_issues: 'Weitere Hinweise werden nicht aufgeführt. Prüfen Sie den Rest der Umfrage.',
}
