/* A bot that takes the first legal move. cc -o first first.c; then name it as cmd:./first. */
#include <stdio.h>

int main(void) {
    char line[65536], move[8] = "";
    setbuf(stdout, NULL);
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == 'i') puts("readyok");            /* isready */
        sscanf(line, "legal %7s", move);
        if (line[0] == 'g') printf("bestmove %s\n", move);  /* go */
    }
}
