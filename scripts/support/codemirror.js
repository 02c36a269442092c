/** The parts of CodeMirror that the console's script editor uses. `npm run cli -- bundle-editor` bundles them. */

export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
export { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
export { linter, lintGutter, lintKeymap } from '@codemirror/lint';
export { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
export { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
export { tags } from '@lezer/highlight';
