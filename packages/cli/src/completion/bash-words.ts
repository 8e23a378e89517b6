/**
 * What the completions for bash ask the package bash-completion for, where bash has not got it: the words up to the
 * cursor, as they were typed. They are quoted, since the completions put them on a command line again.
 */
export const BASH_WORDS = String.raw`
if ! declare -F _get_comp_words_by_ref > /dev/null; then
  _get_comp_words_by_ref() {
    local typed=\${COMP_LINE:0:COMP_POINT} i
    read -ra words <<< "$typed"
    [[ $typed == *[[:space:]] ]] && words+=('')
    cword=$((\${#words[@]} - 1))
    cur=\${words[cword]}
    prev=\${words[cword - 1]}
    for i in "\${!words[@]}"; do
      [[ -z \${words[i]} ]] || printf -v "words[i]" %q "\${words[i]}"
    done
  }
fi
`.replaceAll('\\${', '${');
