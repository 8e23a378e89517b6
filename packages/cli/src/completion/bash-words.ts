/**
 * Defines the shell function `_get_comp_words_by_ref` for a bash without the package bash-completion. The function
 * splits the command line up to the cursor into words. It quotes them, because the completion script evaluates a
 * command line that contains them.
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
